import type { Bench, Row } from '../frame';
import { atMost, count, duration } from '../frame';
import { median, Rounds, time } from '../rounds';
import { ACTION, USUAL } from '../subject';

/** Charges, and what looking up whether a reference is paid adds to each. */

const LATENCY = 20;
const DAY = 86_400_000;
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
		const run = {
			nodeType: ACTION,
			credentials: await service.credentials(),
			items: carts.map((cart) => ({ cart })),
			parameters: {
				resource: 'payment',
				operation: 'commit',
				customerConsent: true,
				paymentData: '={{ $json.cart }}',
				paymentType: 'card',
				card: { details: { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' } },
				options,
			},
		};
		return await service.tally(async () => {
			const rows = await subject.rows(commits, run);
			const charged = rows.filter((row) => row.charged === true).length;
			if (charged !== commits) throw new Error(`${charged} charges instead of ${commits}`);
		});
	};
	const blind = await charge({ allowRepeatCharge: true });
	const { ms, requests } = await charge({});
	const parameters = { task: 'webhookEvents', parallel: PARALLEL };
	const read = { nodeType: USUAL, credentials: await service.credentials(), parameters };
	const pages: number[] = [];
	while (pages.length < 3) pages.push(await time(async () => await subject.engine.run(read)));
	return {
		...{ ms, requests },
		/** What the look-up of one reference adds to a charge. */
		lookUp: (ms - blind.ms) / commits,
		/** All pages of the look-back, read at once by n8n's helper. */
		pages: median(pages),
	};
}

export const commits: Row = async (bench) => {
	const [charges, events] = bench.isQuick ? [10, 500] : [100, 5_000];
	const charged = async (ignoreSearch: boolean) =>
		await Rounds.run(bench, 3, async () => await measured(bench, charges, events, ignoreSearch));
	const line = (name: string, found: Awaited<ReturnType<typeof charged>>) => [
		...[name, duration(found.median('ms')), count(found.median('requests'))],
		...[duration(found.median('lookUp')), duration(found.median('pages'))],
	];
	const finds = await charged(false);
	const ignores = await charged(true);
	const head = `${count(charges)} commits, ${count(events)} events in the look-back`;
	const lookUp = `${head}, without search: a look-up, compared with all pages at once`;
	return {
		title: `${head}, at ${LATENCY} ms`,
		head: ['The service', 'Took', 'Requests', 'Each look-up adds', 'All pages at once'],
		body: [line('finds references by its search', finds), line('ignores the search', ignores)],
		note: "Charges are made one after another. What a look-up adds is the difference to the same charges without one. All pages at once: n8n's helper reads all events of the look-back.",
		targets: [
			atMost(`${head}, with search: requests`, finds.median('requests'), 460, count),
			...ignores.atMost(lookUp, 1.4, 'lookUp', 'pages'),
		],
	};
};
