import { recentOf } from '../../../nodes/PaymentsGateway/resources/customer/recent';

/** What runs know of the customers that they have just made, and when it is forgotten. */

const start = () => {
	const controller = new AbortController();
	return { run: controller.signal, end: () => controller.abort() };
};
const made = { id: 'cust_1' };

test('all runs under way share it, and the last one to end takes it along', () => {
	const [first, second, third] = [start(), start(), start()];
	Object.assign(recentOf('a', first.run), { made });
	expect(recentOf('a', second.run)).toMatchObject({ made });
	first.end();
	expect(recentOf('a', third.run)).toMatchObject({ made });
	second.end();
	third.end();
	expect(recentOf('a', start().run).made).toBeUndefined();
});

test('each key is held, and forgotten, by itself', () => {
	const [first, second] = [start(), start()];
	for (const key of ['c', 'b']) Object.assign(recentOf(key, first.run), { made });
	recentOf('b', second.run);
	first.end();
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
