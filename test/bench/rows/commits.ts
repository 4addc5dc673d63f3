import type { Bench, Row } from '../frame';
import { count, duration, judged, times } from '../frame';
import { median, time } from '../race';
import { ACTION, USUAL } from '../subject';

/** Charges, and what looking up whether a reference is paid adds to each. */

const LATENCY = 20;
const DAY = 86_400_000;
const ROUNDS = 3;
/** As many pages at once as this package reads at most. */
const PARALLEL = 64;

async function measured(bench: Bench, commits: number, events: number, ignoreSearch: boolean) {
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
		const run = { nodeType: ACTION, credentials, items, parameters };
		return await service.tally(
			async () =>
				await time(async () => {
					const rows = await subject.rows(commits, run);
					const charged = rows.filter((row) => row.charged === true).length;
					if (charged !== commits) throw new Error(`${charged} charges instead of ${commits}`);
				}),
		);
	};
	const blind = await charge({ allowRepeatCharge: true });
	const safe = await charge({});
	const credentials = await service.credentials();
	const parameters = { task: 'webhookEvents', parallel: PARALLEL };
	const pages: number[] = [];
	while (pages.length < 3) {
		const read = { nodeType: USUAL, credentials, parameters };
		pages.push(await time(async () => await subject.engine.run(read)));
	}
	return {
		ms: safe.result,
		requests: safe.requests,
		/** What the look-up of one reference adds to a charge. */
		lookUp: (safe.result - blind.result) / commits,
		/** All pages of the look-back, read at once by n8n's helper. */
		pages: median(pages),
	};
}

export const commits: Row = {
	name: 'commits',
	run: async (bench) => {
		const [charges, events] = bench.isQuick ? [10, 500] : [100, 5_000];
		const rounds = bench.isQuick ? 1 : ROUNDS;
		const ofService = async (name: string, ignoreSearch: boolean) => {
			const runs: Array<Awaited<ReturnType<typeof measured>>> = [];
			while (runs.length < rounds) {
				bench.progress(`a service that ${name}, round ${runs.length + 1} of ${rounds}`);
				runs.push(await measured(bench, charges, events, ignoreSearch));
			}
			const of = (what: keyof (typeof runs)[number]) => median(runs.map((run) => run[what]));
			const ratio = median(runs.map(({ lookUp, pages }) => lookUp / pages));
			const [took, lookUp, pages] = [of('ms'), of('lookUp'), of('pages')].map(duration);
			const line = [name, took ?? '', count(of('requests')), lookUp ?? '', pages ?? ''];
			return { line, ratio, requests: of('requests'), against: `${lookUp} against ${pages}` };
		};
		const searching = await ofService('finds references by its search', false);
		const ignoring = await ofService('ignores the search', true);
		const head = `${count(charges)} commits, ${count(events)} events in the look-back`;
		return {
			title: `${head}, at ${LATENCY} ms`,
			head: ['The service', 'Took', 'Requests', 'Each look-up adds', 'All pages at once'],
			body: [searching.line, ignoring.line],
			note: "Charges are made one after another. What a look-up adds is the difference to the same charges without one. All pages at once: n8n's helper reads all events of the look-back.",
			targets: [
				judged(`${head}, with search: requests`, searching.requests, { most: 460 }, count),
				judged(
					`${head}, without search: a look-up, compared with all pages at once`,
					ignoring.ratio,
					{ most: 1.4 },
					times,
					ignoring.against,
				),
			],
		};
	},
};
