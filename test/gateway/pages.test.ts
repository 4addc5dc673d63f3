import fc from 'fast-check';

import { takeBaseline } from '../../nodes/PaymentsGateway/trigger/baseline';
import { catchUp } from '../../nodes/PaymentsGateway/trigger/catchUp';
import { startAt } from '../../nodes/PaymentsGateway/trigger/cursor';
import type { Cursor } from '../../nodes/PaymentsGateway/trigger/cursor';
import { EventList } from '../../nodes/PaymentsGateway/trigger/eventList';
import { Pace } from '../../nodes/PaymentsGateway/trigger/pace';
import type { Habits } from './oddList';
import { OddList, TOTALS } from './oddList';

/** The trigger sees every event exactly once, whatever a service makes of sizes and totals. */

const RUNS = Number(process.env.ODD_LISTS ?? 250);
const DAYS = 86_400_000;

interface Scene extends Habits {
	count: number;
	/** Each so manyth row is no record; 0 for none. */
	noRecord: number;
	pageSize: number;
	parallel: number;
}

interface Seen {
	ids: unknown[];
	warnings: string[];
}

/** Reads all there is, by one of those that read lists. */
type Reader = (odd: OddList, scene: Pick<Scene, 'pageSize' | 'parallel'>) => Promise<Seen>;

const openList = (odd: OddList, pageSize: number, cursor?: Cursor, warnings: string[] = []) =>
	new EventList(
		pageSize,
		cursor?.pageSize,
		async (page, size) => ({
			reply: { answer: await odd.fetch({ page, pageSize: size }), date: OddList.now },
		}),
		(words) => new Error(words),
		new Pace(Infinity),
		(words) => warnings.push(words),
	);

const LAST_ARRIVAL = 14;
const LIMITS = { lookBackMs: 30 * DAYS, maxEvents: 1_000, isWanted: () => true };

/** Polls from a cursor on until nothing more fires. */
async function pollOut(odd: OddList, pageSize: number, from: Cursor): Promise<Seen> {
	const ids: string[] = [];
	const warnings: string[] = [];
	let cursor = from;
	// Some tests let events come in up to the request after which none does.
	for (let quiet = 0; quiet < 2 || odd.requests <= LAST_ARRIVAL;) {
		const list = openList(odd, pageSize, cursor, warnings);
		const glance = openList(odd, 10, cursor, warnings);
		const { events, cursor: next } = await catchUp(cursor, { list, glance }, LIMITS);
		ids.push(...events.map(({ eventID }) => eventID));
		quiet = events.length === 0 && next.ahead === 0 ? quiet + 1 : 0;
		cursor = next;
	}
	return { ids: ids.reverse(), warnings };
}

const trigger: Reader = async (odd, { pageSize }) => await pollOut(odd, pageSize, startAt('s', 0));

const totals = fc.constantFrom(...TOTALS);
const habits = {
	count: fc.oneof(fc.nat(130), fc.nat(12)),
	total: totals,
	said: fc.constantFrom('served' as const, 'asked' as const, 'nothing' as const),
	beyond: fc.constantFrom('nothing' as const, 'last page' as const, 'first page' as const),
	noRecord: fc.constantFrom(0, 0, 0, 2, 5, 17),
	pageSize: fc.constantFrom(5, 10, 20, 40),
	parallel: fc.integer({ min: 1, max: 20 }),
};
const oneCap = fc.oneof(
	fc.constant<Scene['caps']>([]),
	fc.integer({ min: 2, max: 40 }).map((cap) => [{ from: 1, cap }]),
);
const fallingCaps = fc
	.tuple(
		fc.integer({ min: 20, max: 60 }),
		fc.integer({ min: 2, max: 20 }),
		fc.integer({ min: 2, max: 8 }),
	)
	.map(([high, low, from]) => [
		{ from: 1, cap: high },
		{ from, cap: low },
	]);

/** A page that is short and counted as all there is, by every word of the answer, is all there is. */
function isPlain({ total, said, caps, pageSize }: Scene): boolean {
	const isCountOfPage = ['of the page', 'so far', 'too low'].includes(total);
	const isServed = said === 'served' || caps.every(({ cap }) => cap >= pageSize);
	return isServed || !isCountOfPage;
}

function listOf({ count, noRecord, ...rest }: Scene): OddList {
	const odd = new OddList(rest);
	for (let row = 1; row <= count; row++) odd.add(noRecord === 0 || row % noRecord !== 0);
	return odd;
}

const idsIn = (odd: OddList) => odd.events.map(({ eventID }) => eventID);

function pagesOf({ caps, pageSize }: Scene, rows: number): number {
	const size = Math.min(pageSize, ...caps.map(({ cap }) => cap));
	return Math.ceil(rows / size) + 1;
}

describe('the trigger', () => {
	const read = trigger;

	test('sees each row once, in order, and says once what was left out', async () => {
		await fc.assert(
			fc.asyncProperty(fc.record({ ...habits, caps: oneCap }), async (scene) => {
				fc.pre(isPlain(scene));
				const odd = listOf(scene);
				const { ids } = await read(odd, scene);
				expect(ids).toEqual(idsIn(odd));
				// Beside rows that are no records it takes two repeated pages to end a list.
				const more = scene.noRecord > 0 && scene.beyond !== 'nothing' ? 1 : 0;
				const pages = pagesOf(scene, odd.rows.length) + more;
				const readings = 20;
				const ahead = scene.total === 'too high' ? scene.parallel : 1;
				expect(odd.requests).toBeLessThanOrEqual(readings * (2 * pages + ahead));
			}),
			{ numRuns: RUNS },
		);
	}, 120_000);

	test('sees each row once on a service with a page size of its own', async () => {
		const scenes = fc.record({ ...habits, caps: oneCap, ignoresSize: fc.constant(true) });
		await fc.assert(
			fc.asyncProperty(scenes, async (scene) => {
				fc.pre(isPlain(scene) && scene.beyond === 'nothing');
				const odd = listOf(scene);
				const { ids } = await read(odd, scene);
				expect(ids).toEqual(idsIn(odd));
			}),
			{ numRuns: RUNS },
		);
	}, 120_000);

	test('sees each row once when the page size falls meanwhile', async () => {
		await fc.assert(
			fc.asyncProperty(fc.record({ ...habits, caps: fallingCaps }), async (scene) => {
				fc.pre(isPlain(scene));
				const odd = listOf(scene);
				const { ids } = await read(odd, scene);
				expect(ids).toEqual(idsIn(odd));
				const pages = pagesOf(scene, odd.rows.length);
				const readings = 25;
				expect(odd.requests).toBeLessThanOrEqual(readings * (2 * pages + scene.parallel));
			}),
			{ numRuns: RUNS },
		);
	}, 120_000);

	test('sees each row once where the service leaves rows out of its pages', async () => {
		const scenes = fc.record({
			...habits,
			count: fc.nat(300),
			said: fc.constantFrom(
				'served' as const,
				'asked' as const,
				'nothing' as const,
				'rows' as const,
			),
			noRecord: fc.constant(0),
			caps: fc.constant<Scene['caps']>([]),
			shows: fc.integer({ min: 1, max: 5 }),
		});
		await fc.assert(
			fc.asyncProperty(scenes, async (scene) => {
				const isCountOfPage = ['of the page', 'so far', 'too low'].includes(scene.total);
				// No page that is asked for comes without a row.
				fc.pre(scene.shows ** 2 <= scene.pageSize);
				fc.pre(isPlain(scene) && (scene.said === 'rows' || !isCountOfPage));
				const odd = listOf(scene);
				const { ids } = await read(odd, scene);
				expect(ids).toEqual(idsIn(odd));
			}),
			{ numRuns: RUNS },
		);
	}, 120_000);

	test('sees each row that stays once while others come in', async () => {
		const arrivals = fc.uniqueArray(fc.integer({ min: 2, max: LAST_ARRIVAL }), { maxLength: 4 });
		await fc.assert(
			fc.asyncProperty(fc.record({ ...habits, caps: oneCap }), arrivals, async (scene, at) => {
				fc.pre(isPlain(scene));
				const odd = listOf(scene);
				const stayed = idsIn(odd);
				odd.before = (request) => {
					if (at.includes(request)) odd.add();
				};
				const { ids } = await read(odd, scene);
				expect(ids.filter((id) => stayed.includes(String(id)))).toEqual(stayed);
				expect(new Set(ids).size).toBe(ids.length);
				expect(new Set(ids)).toEqual(new Set(idsIn(odd)));
			}),
			{ numRuns: RUNS },
		);
	}, 120_000);

	test.each(TOTALS)(
		'does not take a service that ignores pages for a whole list, total %s',
		async (total) => {
			const odd = new OddList({
				total,
				caps: [],
				said: 'served',
				beyond: 'nothing',
				ignoresPage: true,
			});
			for (let row = 0; row < 250; row++) odd.add();
			const reading = read(odd, { pageSize: 100, parallel: 5 });
			await expect(reading).rejects.toThrow(/same (rows|events)/);
			expect(odd.requests).toBeLessThan(15);
		},
	);
});

describe('the trigger, from an activation on', () => {
	test('fires what came since then, and nothing else, also when the page size falls', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.record({ ...habits, caps: fallingCaps }),
				fc.nat(120),
				async (scene, count) => {
					fc.pre(isPlain(scene) && scene.count > 0);
					const odd = listOf(scene);
					const cursor = await takeBaseline(openList(odd, scene.pageSize), 's', LIMITS.lookBackMs);
					const came = Array.from({ length: count }, () => odd.add()?.eventID ?? '');
					const { ids } = await pollOut(odd, scene.pageSize, cursor);
					expect(ids).toEqual(came.reverse());
				},
			),
			{ numRuns: RUNS },
		);
	}, 120_000);
});
