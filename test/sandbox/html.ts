/**
 * Builds HTML in which every value is escaped. The pages of the sandbox show what was typed and
 * what merchants named their products, so nothing may go in as it is.
 */

/** Markup that is safe to send: whatever came in from outside has been escaped. */
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

/** A template whose values are escaped unless they are markup themselves. */
export function escaped(parts: TemplateStringsArray, ...values: Content[]): Html {
	const text = parts.reduce((done, part, index) => done + rendered(values[index - 1]) + part);
	return new Html(text);
}
