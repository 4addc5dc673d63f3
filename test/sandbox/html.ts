/**
 * Builds HTML in which every value is escaped: pages show typed names and product names. Also the frame
 * and the style around each page's content. There is no script.
 */

/** Markup that is safe to send: all values in it have been escaped. */
export class Html {
	constructor(readonly text: string) {}
}

type Content = Html | string | number | false | undefined | readonly Content[];

const entities: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

function rendered(content: Content): string {
	if (content === undefined || content === false) return '';
	if (content instanceof Html) return content.text;
	if (typeof content === 'object') return content.map(rendered).join('');
	return String(content).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/**
 * A template whose values are escaped unless they are markup themselves. Not called `html`, or prettier
 * would format the templates: the demo's inbox shows their white space.
 */
export function safeHtml(parts: TemplateStringsArray, ...values: Content[]): Html {
	const text = parts.reduce((done, part, index) => done + rendered(values[index - 1]) + part);
	return new Html(text);
}

const style = new Html(`<style>
:root {
	color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
	--card: light-dark(#fff, #1b202a); --ink: light-dark(#1b2130, #e8ebf2);
	--soft: light-dark(#5d6679, #9aa4b8); --line: light-dark(#dde1e9, #313949);
	--accent: light-dark(#2f5bd8, #7d9dff); --on-accent: light-dark(#fff, #0d1220);
	--good: light-dark(#17714a, #5cc998); --bad: light-dark(#b3261e, #ff8f86);
}
* { box-sizing: border-box; }
body { margin: 0; background: light-dark(#f3f4f7, #12151c); color: var(--ink); }
.banner {
	background: light-dark(#fff4d6, #3a2f12); color: light-dark(#6b4a00, #f5d689);
	text-align: center; padding: .4rem 1rem; margin: 0; font-size: .875rem;
}
main {
	max-width: 30rem; margin: 1.75rem auto; padding: 1.75rem 2rem; background: var(--card);
	border: 1px solid var(--line); border-radius: 14px;
}
header { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; }
h1 { font-size: 1.05rem; margin: 0; }
a { color: var(--accent); }
.soft { color: var(--soft); font-size: .875rem; }
.figure { font-size: 2.1rem; font-weight: 650; margin: .35rem 0 .75rem; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: .3rem 0; text-align: left; vertical-align: top; font-weight: normal; }
td { text-align: right; padding-left: 1rem; overflow-wrap: anywhere; }
.total > * { border-top: 1px solid var(--line); padding-top: .6rem; font-weight: 650; }
label { display: block; margin-top: .75rem; font-size: .8125rem; color: var(--soft); }
input {
	width: 100%; font: inherit; font-size: 1rem; padding: .45rem .6rem; color: var(--ink);
	background: transparent; border: 1px solid var(--line); border-radius: 8px;
}
input[readonly] { border-style: dashed; color: var(--soft); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
button {
	width: 100%; font: inherit; font-weight: 600; border-radius: 9px; padding: .65rem 1rem;
	margin-top: .75rem; cursor: pointer; border: 1px solid var(--line); background: transparent;
	color: var(--ink);
}
button.main { background: var(--accent); color: var(--on-accent); }
.bad { color: var(--bad); }
.good { color: var(--good); }
</style>`);

export function renderPage(title: string, content: Html): string {
	return safeHtml`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title || 'Paylinks'}</title>
${style}
</head>
<body>
<p class="banner">Sandbox: no money moves</p>
<main><header><h1>Sandbox Merchant</h1><span class="soft">${title}</span></header>${content}</main>
</body>
</html>
`.text;
}
