/** Builds HTML in which every value is escaped: pages show typed names and product names. */

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
