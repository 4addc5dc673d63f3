import { escaped, Html } from './html';

/**
 * What all pages of the sandbox have around their content: the page itself and its style. There is no
 * script: they work without.
 */

const style = `
:root {
	color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
	--card: light-dark(#fff, #1b202a); --ink: light-dark(#1b2130, #e8ebf2);
	--soft: light-dark(#5d6679, #9aa4b8); --line: light-dark(#dde1e9, #313949);
	--accent: light-dark(#2f5bd8, #7d9dff); --on-accent: light-dark(#fff, #0d1220);
	--good: light-dark(#17714a, #5cc998); --bad: light-dark(#b3261e, #ff8f86);
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: light-dark(#f3f4f7, #12151c); color: var(--ink); }
.banner {
	background: light-dark(#fff4d6, #3a2f12); color: light-dark(#6b4a00, #f5d689);
	text-align: center; padding: .4rem 1rem; margin: 0; font-size: .875rem;
}
main {
	max-width: 34rem; margin: 1.75rem auto; padding: 1.75rem 2rem; background: var(--card);
	border: 1px solid var(--line); border-radius: 14px;
}
header { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; }
h1 { font-size: 1.05rem; margin: 0; }
h2, legend { font-size: .95rem; font-weight: 700; padding: 0; margin: 0 0 .5rem; }
h2, fieldset { margin-top: 1.5rem; }
a { color: var(--accent); }
.soft { color: var(--soft); font-size: .875rem; }
.figure { font-size: 2.1rem; font-weight: 650; margin: .35rem 0 .75rem; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: .3rem 0; text-align: left; vertical-align: top; font-weight: normal; }
td:last-child { text-align: right; padding-left: 1rem; overflow-wrap: anywhere; }
.gap > * { border-top: 1px solid var(--line); padding-top: .6rem; }
.total > * { font-weight: 650; }
fieldset { border: 0; margin-inline: 0; padding: 0; min-width: 0; }
.fields { display: flex; flex-wrap: wrap; align-items: end; gap: .6rem .75rem; }
.fields label { flex: 1 1 12rem; font-size: .8125rem; color: var(--soft); }
input:not([type=radio]) {
	width: 100%; font: inherit; font-size: 1rem; padding: .45rem .6rem; color: var(--ink);
	background: transparent; border: 1px solid var(--line); border-radius: 8px;
}
input[readonly] { border-style: dashed; color: var(--soft); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.choice { border: 1px solid var(--line); border-radius: 10px; margin-bottom: .5rem; }
.choice > label { display: flex; gap: .6rem; padding: .6rem .8rem; cursor: pointer; }
.choice > label .soft { margin-left: auto; }
.choice > .fields:not(:empty) { padding: 0 .8rem .9rem; }
.choice:has(> label input:not(:checked)) > .fields { display: none; }
.choice:has(> label input:checked) { border-color: var(--accent); }
button {
	font: inherit; font-weight: 600; border-radius: 9px; padding: .45rem 1rem; cursor: pointer;
	border: 1px solid var(--line); background: transparent; color: var(--ink);
}
form > button { width: 100%; padding: .65rem; margin-top: .6rem; }
button.main { background: var(--accent); color: var(--on-accent); }
.message { border: 1px solid currentColor; border-radius: 9px; padding: .55rem .8rem; }
.bad { color: var(--bad); }
.good { color: var(--good); }
.badge { border: 1px solid currentColor; border-radius: 99px; padding: .05rem .6rem; font-size: .8125rem; }
`;

const styleElement = new Html(`<style>${style}</style>`);

/** The page around the content. */
export function document(title: string, content: Html): string {
	return escaped`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${styleElement}
</head>
<body>
<p class="banner">Sandbox: no money moves</p>
<main>${content}</main>
</body>
</html>
`.text;
}
