import { readExamples } from './examples';
import { tryOf, waitsForVisitor } from './tries';

/** What the demo says of each example workflow. */

const place = { n8n: 'http://n8n', toDecline: 'http://pay/1', toPay: 'http://pay/2' };

test.each(readExamples('').map((example) => [example.name, example] as const))(
	'%s is introduced by an address that it has, or a button, and where to look',
	(_name, example) => {
		const { start = '', look } = tryOf(example, place) ?? {};
		expect(look).toMatch(/^.+\.$/);
		const [, path] = /http:\/\/n8n\/\w+\/(\S+)/.exec(start) ?? [];
		if (path !== undefined) expect(JSON.stringify(example.nodes)).toContain(`"${path}"`);
		// What starts at an address, without the editor, is active.
		expect(waitsForVisitor(example)).toBe(start.includes('http:'));
	},
);
