import { readExamples } from './examples';
import { howToStart, waitsForVisitor, whereToLook } from './tries';

/** What the demo says of each example workflow. */

const place = {
	n8n: 'http://127.0.0.1:5678',
	inbox: 'http://127.0.0.1:5681',
	toDecline: 'http://127.0.0.1:5680/pay/pl_1',
	toPay: 'http://127.0.0.1:5680/pay/pl_2',
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

test('what one of them pays, none of the others wants declined', () => {
	const steps = examples.map((example) => howToStart(example, place) ?? '');
	const declining = steps.filter((step) => step.includes('Decline'));
	expect(declining).not.toHaveLength(0);
	for (const step of declining) expect(step).toContain(place.toDecline);
	const paying = steps.filter((step) => step.startsWith('Pay '));
	expect(paying).not.toHaveLength(0);
	for (const step of paying) expect(step).toContain(place.toPay);
});
