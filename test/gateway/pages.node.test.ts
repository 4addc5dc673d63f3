import { log, output } from '../engine';
import type { Fault, Settings } from '../sandbox';
import { useNode } from '../useNode';
import { commit, events } from './asking';

/** The readers of lists, seen from outside: the real nodes against a gateway with odd pages. */

const { sandbox, run } = useNode({}, { clock: '2026-03-01T12:00:00Z' });

const rows = (count: number) => sandbox.addEvents(count).map(({ eventID }) => eventID);
const all = { ...events, returnAll: true };
/** Of events. */
const page3: Fault = {
	...{ on: 'webhookEvents', times: Infinity },
	when: ({ body }) => JSON.stringify(body).includes('"page":3'),
};
const customers = { resource: 'customer', operation: 'getAll', returnAll: true };

test.each<[string, Partial<Settings>]>([
	[
		'cuts its pages at 30 rows, counts none and repeats the last one',
		{ pageSizeCap: 30, total: 'zero', pageSizeSaid: 'asked', repeatLastPage: true },
	],
	// What is looked for must be found in the list itself.
	['refuses pages of more than 50 rows', { rejectPageSizeAbove: 50, ignoreFilter: true }],
])('a gateway that %s gives out all, and shows a payment before a charge', async (_, habits) => {
	Object.assign(sandbox.settings, { ...habits, ignoreSearch: true });
	const referenceID = 'ORDER-120';
	sandbox.addEvent({ eventID: 'evt_paid', referenceID, date: '2026-03-01T10:00:00.000Z' });
	const later = rows(119);
	const listed = output(await run(all)).map(({ eventID }) => eventID);
	expect(listed).toEqual([...later.reverse(), 'evt_paid']);
	const paymentData = sandbox.addCart({ referenceID });
	const [item] = output(await run({ ...commit, paymentData }));
	expect(item).toMatchObject({ charged: false, status: 'ALREADY_PAID' });
	expect(sandbox.charges).toHaveLength(0);
});

test.each([30, 75, 250])('pages cut at %i without a word, each counted alone', async (cap) => {
	const silently = { pageSizeCap: cap, pageSizeSaid: 'asked', total: { constant: cap } } as const;
	Object.assign(sandbox.settings, silently);
	rows(cap + 20);
	const options = { pageSize: 500 };
	expect(output(await run({ ...all, options }))).toHaveLength(cap + 20);
});

test('a list that is refused behind a page is handed over, and the log counts what is missing', async () => {
	rows(330);
	sandbox.fault({ ...page3, status: 400 });
	expect(output(await run(all))).toHaveLength(200);
	expect(log.lines.filter((line) => /counts 330 rows .* gave out 200/.test(line))).toHaveLength(1);
});

test('an event that is listed twice, on two pages, keeps nobody from a charge', async () => {
	sandbox.settings.ignoreSearch = true;
	const start = Date.parse('2026-03-01T10:00:00Z');
	const ids = Array.from({ length: 131 }, (_, index) => `evt_${index}`);
	// By 100 rows a page, the second of the two is the first of page 2.
	ids.splice(31, 0, 'evt_31');
	sandbox.addEvents(ids.length, (index) => ({
		eventID: ids[index] ?? '',
		date: new Date(start + index).toISOString(),
	}));
	sandbox.fault({ ...page3, status: 404 });
	const paymentData = sandbox.addCart({ referenceID: 'ORDER-1' });
	const [item] = output(await run({ ...commit, paymentData }));
	expect(item).toMatchObject({ charged: true });
});

test.each([customers, all])('rows that are no records are left out: %j', async (parameters) => {
	sandbox.addCustomers(230);
	rows(230);
	const answer = (given: unknown) => {
		const { data, ...rest } = given as { data: unknown[] };
		return { data: [null, ...data, 'text', [{}]], ...rest };
	};
	sandbox.fault({ on: ['customers', 'webhookEvents'], times: Infinity, answer });
	expect(output(await run(parameters))).toHaveLength(230);
	expect(log.lines.filter((line) => /^warn .*no records/.test(line))).toHaveLength(1);
});
