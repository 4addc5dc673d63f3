import { output } from '../../engine';
import { median, time } from '../measure';
import type { Bench, Findings, Row } from '../row';
import { count, duration, judged, medians, requests, times } from '../row';
import { ACTION, USUAL } from '../subject';

/** Charges, and what looking up whether a reference is paid adds to each. */

const LATENCY = 20;
const DAY = 86_400_000;
/** A run sends one request after another, and so takes long: more rounds tell little more. */
const ROUNDS = 3;
/** As many pages at once as this package reads at most. */
const PARALLEL = 64;

interface Measured {
	ms: number;
	requests: number;
	/** What the look-up of one reference adds to a charge. */
	lookUp: number;
	/** All pages of the look-back, read at once by n8n's helper. */
	pages: number;
}

async function measured(
	bench: Bench,
	commits: number,
	events: number,
	ignoreSearch: boolean,
): Promise<Measured> {
	const { service, subject } = bench;
	// Else the node would go on trusting the search of the service that was measured before.
	subject.engine.restart();
	const charge = async (options: Record<string, boolean>) => {
		const { carts } = await service.fresh({
			events: { count: events, agoMs: DAY },
			carts: commits,
			settings: { latency: LATENCY, ignoreSearch },
		});
		const credentials = await service.credentials();
		const parameters = {
			resource: 'payment',
			operation: 'commit',
			customerConsent: true,
			paymentData: '={{ $json.cart }}',
			paymentType: 'card',
			card: { details: { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' } },
			options,
		};
		const items = carts.map((cart) => ({ cart }));
		return await service.tally(
			async () =>
				await time(async () => {
					const rows = output(
						await subject.engine.run({ nodeType: ACTION, credentials, items, parameters }),
					);
					const charged = rows.filter((row) => row.charged === true).length;
					if (charged !== commits) throw new Error(`${charged} charges instead of ${commits}`);
				}),
		);
	};
	const blind = await charge({ allowRepeatCharge: true });
	const safe = await charge({});
	const credentials = await service.credentials();
	const parameters = { task: 'webhookEvents', parallel: PARALLEL };
	const all = async () =>
		await time(async () => await subject.engine.run({ nodeType: USUAL, credentials, parameters }));
	const pages = [(await all()).ms, (await all()).ms, (await all()).ms];
	return {
		ms: safe.result.ms,
		requests: safe.requests,
		lookUp: (safe.result.ms - blind.result.ms) / commits,
		pages: median(pages),
	};
}

export const commits: Row = {
	name: 'commits',
	title: 'Commits',
	run: async (bench): Promise<Findings> => {
		const [charges, events] = bench.isQuick ? [10, 500] : [100, 5_000];
		const rounds = Math.min(ROUNDS, bench.rounds);
		const runs = { with: [] as Measured[], without: [] as Measured[] };
		for (let round = 1; round <= rounds; round++) {
			for (const search of ['with', 'without'] as const) {
				bench.progress(`${search} search, round ${round} of ${rounds}`);
				runs[search].push(await measured(bench, charges, events, search === 'without'));
			}
		}
		const of = (search: 'with' | 'without', what: keyof Measured) =>
			median(runs[search].map((run) => run[what]));
		const ratio = median(runs.without.map(({ lookUp, pages }) => lookUp / pages));
		const head = `${count(charges)} commits, ${count(events)} events in the look-back`;
		const line = (search: 'with' | 'without', name: string) => [
			name,
			duration(of(search, 'ms')),
			count(of(search, 'requests')),
			duration(of(search, 'lookUp')),
			duration(of(search, 'pages')),
		];
		return {
			tables: [
				{
					title: `${head}, at ${LATENCY} ms`,
					caption: `${medians(rounds)}.`,
					head: ['The service', 'Took', 'Requests', 'Each look-up adds', 'All pages at once'],
					body: [
						line('with', 'finds references by its search'),
						line('without', 'ignores the search'),
					],
					note: "Charges are made one after another. What a look-up adds is the difference to the same charges without one. All pages at once: n8n's helper reads all events of the look-back.",
				},
			],
			targets: [
				judged(`${head}, with search: requests`, of('with', 'requests'), { most: 460 }, requests),
				judged(
					`${head}, without search: a look-up, compared with all pages at once`,
					ratio,
					{ most: 1.4 },
					times,
					`${duration(of('without', 'lookUp'))} against ${duration(of('without', 'pages'))}`,
				),
			],
		};
	},
};
