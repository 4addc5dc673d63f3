import { escaped, Html } from './html';

/**
 * What all pages of the sandbox have around their content: the page itself and its style. There is no
 * script: they work without.
 */

const style = `
:root {
	color-scheme: light dark;
	--back: #f3f4f7; --card: #fff; --ink: #1b2130; --soft: #5d6679; --line: #dde1e9;
	--field: #fff; --accent: #2f5bd8; --on-accent: #fff; --good: #17714a; --bad: #b3261e;
	--note: #fff4d6; --on-note: #6b4a00;
}
@media (prefers-color-scheme: dark) {
	:root {
		--back: #12151c; --card: #1b202a; --ink: #e8ebf2; --soft: #9aa4b8; --line: #313949;
		--field: #141821; --accent: #7d9dff; --on-accent: #0d1220; --good: #5cc998;
		--bad: #ff8f86; --note: #3a2f12; --on-note: #f5d689;
	}
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
a { color: var(--accent); }
body {
	margin: 0; background: var(--back); color: var(--ink);
	font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif;
}
.banner {
	background: var(--note); color: var(--on-note); text-align: center; padding: .4rem 1rem; margin: 0;
	font-size: .875rem;
}
main {
	max-width: 34rem; margin: 1.75rem auto; padding: 1.75rem 2rem; background: var(--card);
	border: 1px solid var(--line); border-radius: 14px; box-shadow: 0 8px 30px rgb(0 0 0 / .07);
}
@media (max-width: 36rem) { main { margin: 0; border: 0; border-radius: 0; padding: 1.25rem; } }
header { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; }
h1 { font-size: 1.05rem; margin: 0; }
h2, legend { font-size: .95rem; font-weight: 700; padding: 0; margin: 1.5rem 0 .5rem; }
legend { margin-top: 0; }
.soft { color: var(--soft); font-size: .875rem; }
.figure { font-size: 2.1rem; font-weight: 650; letter-spacing: -.02em; margin: .35rem 0 .75rem; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: .3rem 0; text-align: left; vertical-align: top; font-weight: normal; }
td:last-child { text-align: right; white-space: nowrap; padding-left: 1rem; }
.gap > * { border-top: 1px solid var(--line); padding-top: .6rem; }
.total > * { font-weight: 650; }
fieldset { border: 0; margin: 1.5rem 0 0; padding: 0; min-width: 0; }
.grid { display: grid; grid-template-columns: repeat(6, 1fr); gap: .6rem .75rem; }
.span2 { grid-column: span 2; }
.span3 { grid-column: span 3; }
.span6 { grid-column: span 6; }
label { display: block; margin-bottom: .15rem; font-size: .8125rem; color: var(--soft); }
input:not([type=radio]) {
	width: 100%; font: inherit; font-size: 1rem; color: var(--ink); background: var(--field);
	padding: .45rem .6rem; border: 1px solid var(--line); border-radius: 8px;
}
[aria-invalid] { border-color: var(--bad) !important; }
[role=alert].bad { display: block; margin-top: .15rem; font-size: .8125rem; }
input[readonly] { background: transparent; border-style: dashed; color: var(--soft); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.choice { border: 1px solid var(--line); border-radius: 10px; margin-bottom: .5rem; }
.choice > label {
	display: flex; align-items: center; gap: .6rem; margin: 0; padding: .6rem .8rem;
	font-size: 1rem; color: var(--ink); cursor: pointer;
}
.choice > label input { accent-color: var(--accent); margin: 0; }
.choice > label .soft { margin-left: auto; }
.choice > .grid:not(:empty) { padding: 0 .8rem .9rem; }
.choice:has(> label input:not(:checked)) > .grid { display: none; }
.choice:has(> label input:checked) { border-color: var(--accent); }
.row { display: flex; gap: .6rem; align-items: start; }
.row > div { flex: 1; min-width: 0; }
.row label { white-space: nowrap; }
.row > button { margin-top: 1.4rem; padding: 0 1rem; border-radius: 8px; }
.row input, .row > button { height: 2.55rem; }
button, .button {
	font: inherit; font-weight: 600; border-radius: 9px; padding: .65rem 1rem; cursor: pointer;
	border: 1px solid var(--line); background: transparent; color: var(--ink);
	text-decoration: none; display: inline-block; text-align: center;
}
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.actions { display: grid; gap: .6rem; margin-top: 1.5rem; }
.actions button { width: 100%; }
.message { border: 1px solid currentColor; border-radius: 9px; padding: .55rem .8rem; margin: 1rem 0 0; }
.bad { color: var(--bad); }
.good { color: var(--good); }
.badge { display: inline-block; border: 1px solid currentColor; border-radius: 99px; padding: .05rem .6rem; font-size: .8125rem; }
.badge::first-letter { text-transform: uppercase; }
.code { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: .8125rem; overflow-wrap: anywhere; }
`;

/** It has no form-action: browsers would apply it to the redirect back to the shop as well. */
export const contentSecurityPolicy = [
	"default-src 'none'",
	"style-src 'unsafe-inline'",
	"base-uri 'none'",
	"frame-ancestors 'none'",
].join('; ');

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
