import { recentOf } from '../../../nodes/PaymentsGateway/resources/customer/recent';

/** What runs know of the customers that they have just made, and when it is forgotten. */

const start = () => {
	const controller = new AbortController();
	return { run: controller.signal, end: () => controller.abort() };
};
const made = { id: 'cust_1' };

let passed = 0;
beforeEach(() => {
	jest.spyOn(performance, 'now').mockImplementation(() => passed);
});
const tenMinutes = 600_000;

test('all runs under way share it, and it is kept for ten minutes after the last', () => {
	const [first, second, third] = [start(), start(), start()];
	Object.assign(recentOf('a', first.run), { made });
	expect(recentOf('a', second.run)).toMatchObject({ made });
	first.end();
	expect(recentOf('a', third.run)).toMatchObject({ made });
	second.end();
	third.end();
	passed += tenMinutes - 1;
	const last = start();
	expect(recentOf('a', last.run)).toMatchObject({ made });
	passed += tenMinutes;
	last.end();
	passed += tenMinutes;
	expect(recentOf('a', start().run).made).toBeUndefined();
});

test('of more than 10,000 that were made the oldest goes', () => {
	const { run, end } = start();
	for (let key = 0; key <= 10_000; key++) Object.assign(recentOf(`m${key}`, run), { made });
	end();
	expect(recentOf('m0', start().run).made).toBeUndefined();
	expect(recentOf('m9', start().run)).toMatchObject({ made });
});

test('what is not sure is forgotten with its runs', () => {
	const { run, end } = start();
	Object.assign(recentOf('u', run), { made: 'unsure' });
	end();
	expect(recentOf('u', start().run).made).toBeUndefined();
});

test('each key is held, and forgotten, by itself', () => {
	const [first, second] = [start(), start()];
	for (const key of ['c', 'b']) Object.assign(recentOf(key, first.run), { made });
	recentOf('b', second.run);
	first.end();
	passed += tenMinutes;
	const later = start().run;
	expect(recentOf('c', later).made).toBeUndefined();
	expect(recentOf('b', later)).toMatchObject({ made });
});

test('a run has one listener, however many customers it makes', () => {
	const { run } = start();
	const listen = jest.spyOn(run, 'addEventListener');
	for (let key = 0; key < 20; key++) recentOf(String(key), run);
	expect(listen).toHaveBeenCalledTimes(1);
});
