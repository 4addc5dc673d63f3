import {
	isGone,
	noteDeleted,
	recentOf,
	remember,
} from '../../../nodes/PaymentsGateway/resources/customer/recent';
import type { Client } from '../../../nodes/PaymentsGateway/gateway/client';
import { standIn } from '../../engine/instance';

/** What runs know of the customers that they have just made, and when it is forgotten. */

const start = () => {
	const controller = new AbortController();
	return { run: controller.signal, end: () => controller.abort() };
};
const made = [{ id: 'cust_1', at: 0, isOnly: true }];

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
	expect(recentOf('a', start().run).made).toEqual([]);
});

test('of more than 10,000 that were made the oldest goes', () => {
	const { run, end } = start();
	for (let key = 0; key <= 10_000; key++) Object.assign(recentOf(`m${key}`, run), { made });
	end();
	expect(recentOf('m0', start().run).made).toEqual([]);
	expect(recentOf('m9', start().run)).toMatchObject({ made });
});

test('who is being made is held, however many others are', () => {
	const [first, second] = [start(), start()];
	Object.assign(recentOf('n', first.run), { made });
	for (let key = 0; key <= 10_000; key++) Object.assign(recentOf(`o${key}`, second.run), { made });
	second.end();
	expect(recentOf('n', start().run)).toMatchObject({ made });
});

test('emails that were only asked for push nobody out', () => {
	const [first, second] = [start(), start()];
	Object.assign(recentOf('p', first.run), { made });
	first.end();
	for (let key = 0; key <= 10_000; key++) recentOf(`q${key}`, second.run);
	second.end();
	expect(recentOf('p', start().run)).toMatchObject({ made });
});

test('later runs of the same execution know it, however long after', () => {
	const [execution, other] = [{}, {}];
	const [first, second] = [start(), start()];
	Object.assign(recentOf('e', first.run, [{}, execution]), { made });
	recentOf('f', first.run, [execution]);
	first.end();
	passed += 10 * tenMinutes;
	expect(recentOf('e', second.run, [other]).made).toEqual([]);
	second.end();
	expect(recentOf('e', start().run, [execution])).toMatchObject({ made });
	expect(recentOf('f', start().run, [execution]).made).toEqual([]);
});

test('a run that is over holds nothing', () => {
	const { run, end } = start();
	end();
	Object.assign(recentOf('g', run), { made });
	expect(recentOf('g', start().run).made).toEqual([]);
});

test('what is not sure is forgotten with its runs', () => {
	const { run, end } = start();
	Object.assign(recentOf('u', run), { made, isUnsure: true });
	end();
	expect(recentOf('u', start().run)).toMatchObject({ made });
	expect(recentOf('u', start().run).isUnsure).toBeUndefined();
});

test('each key is held, and forgotten, by itself', () => {
	const [first, second] = [start(), start()];
	for (const key of ['c', 'b']) Object.assign(recentOf(key, first.run), { made });
	recentOf('b', second.run);
	first.end();
	passed += tenMinutes;
	const later = start().run;
	expect(recentOf('c', later).made).toEqual([]);
	expect(recentOf('b', later)).toMatchObject({ made });
});

test('a run has one listener, however many customers it makes', () => {
	const { run } = start();
	const listen = jest.spyOn(run, 'addEventListener');
	for (let key = 0; key < 20; key++) recentOf(String(key), run);
	expect(listen).toHaveBeenCalledTimes(1);
});

test('a customer is remembered once, and of one email no more than ten', () => {
	const recent = recentOf('r', start().run);
	remember(recent, 'first', true);
	remember(recent, 'first');
	expect(recent.made).toEqual([{ id: 'first', at: passed, isOnly: false }]);
	for (let nth = 1; nth <= 10; nth++) remember(recent, String(nth));
	expect(recent.made.map(({ id }) => id)).toEqual('1 2 3 4 5 6 7 8 9 10'.split(' '));
});

test('who is not found is gone a minute after they were made, or when deleted here', () => {
	const [here, there] = ['here', 'there'].map((customers) =>
		standIn<Client>('client', { customers }),
	) as [Client, Client];
	const one = { id: 'cust_1', at: passed, isOnly: true };
	passed += 59_999;
	expect(isGone(here, one)).toBe(false);
	noteDeleted(here, one.id);
	expect([isGone(here, one), isGone(there, one)]).toEqual([true, false]);
	for (let nth = 0; nth < 10_000; nth++) noteDeleted(there, String(nth));
	expect([isGone(here, one), isGone(there, { ...one, id: '0' })]).toEqual([false, true]);
	passed += 1;
	expect(isGone(here, one)).toBe(true);
});
