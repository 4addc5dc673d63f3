import { readExamples } from './examples';
import { howToStart, waitsForVisitor, whereToLook } from './tries';

const place = {
	n8n: 'http://127.0.0.1:5678',
	inbox: 'http://127.0.0.1:5681',
	paylink: 'http://127.0.0.1:5680/pay/pl_1',
};
const examples = readExamples(place.inbox);

test.each(examples.map((example) => [example.name, example] as const))(
	'%s is introduced by what to do and where to look, in one line each',
	(_name, example) => {
		expect(howToStart(example, place)).toMatch(/^[A-Z].*[^.]$/);
		expect(whereToLook(example)).toMatch(/^.+\.$/);
	},
);

test('what starts at an address, without the editor, is active', () => {
	const asleep = examples.filter(
		(example) => /http/.test(howToStart(example, place) ?? '') && !waitsForVisitor(example),
	);
	expect(asleep.map(({ name }) => name)).toEqual([]);
});
