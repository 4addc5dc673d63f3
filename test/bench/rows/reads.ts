import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { floor, inParallel } from '../floor';
import { HTTP_REQUEST, NOT_INSTALLED, post } from '../httpRequest';
import { Race, time } from '../measure';
import type { Bench, Findings, Row } from '../row';
import { against, barsOf, beside, count, duration, IN_BRACKETS, judged, times } from '../row';
import { ACTION, USUAL } from '../subject';

/** Many single reads, each of another customer, against the usual ways to make them. */

/** As many as this package has under way at most. */
const PARALLEL = 64;
const LATENCY = 20;
/** As the node's form has them: 50 items, and a second between the batches. */
const BATCHING = { batching: { batch: { batchSize: 50, batchInterval: 1000 } } };
/** Enough for the least number of rounds; slow rivals hardly vary. */
const SECONDS = 30;

const RIVALS = {
	ours: 'This package',
	known: 'This package, in a later run',
	http: 'HTTP Request node, all at once',
	usual: 'Sequential loop',
	helper: `n8n's helper, ${PARALLEL} at once`,
	bareAxios: `Bare axios, ${PARALLEL} at once`,
} as const;
type Rival = keyof typeof RIVALS;

async function contest(bench: Bench, reads: number, latency: number) {
	const { subject, service } = bench;
	const { engine } = subject;
	const { customers } = await service.fresh({ customers: reads, settings: { latency } });
	const credentials = await service.credentials();
	const items = customers.map(({ id }) => ({ id }));
	const bare = await floor(service);
	const run = async (nodeType: string, parameters: INodeParameters, as = credentials) => {
		const rows = output(await engine.run({ nodeType, credentials: as, items, parameters }));
		if (rows.length !== reads) throw new Error(`${rows.length} rows came instead of ${reads}`);
	};
	const url = `${String(credentials.baseUrl)}/api/gateway/customer`;
	const http = async (options = {}) =>
		await run(HTTP_REQUEST, post(url, '={ "data": { "customerID": "{{ $json.id }}" } }', options));
	const get = { resource: 'customer', operation: 'get', customerId: '={{ $json.id }}' };
	const ours = async () => await run(ACTION, get, await service.newMerchant());
	// The pace that a run has learned is kept for ten minutes.
	const merchant = await service.newMerchant();
	const known = async () => await run(ACTION, get, merchant);
	await known();
	const rivals: Record<Rival, (() => Promise<unknown>) | undefined> = {
		ours,
		known,
		http: subject.http && (async () => await http()),
		usual: () => run(USUAL, { task: 'get', customer: '={{ $json.id }}' }),
		helper: () => run(USUAL, { task: 'get', customer: '={{ $json.id }}', parallel: PARALLEL }),
		bareAxios: async () =>
			await inParallel(
				items.map(
					({ id }) =>
						async () =>
							await bare.customers('customer', { customerID: id }),
				),
				PARALLEL,
			),
	};
	// The sandbox tells the most requests at once since its reset: the rival with fewer goes first.
	const oursAtOnce = (await service.tally(ours)).maxInFlight;
	const atOnce = rivals.http && (await service.tally(rivals.http)).maxInFlight;
	const batched = subject.http && (async () => await http(BATCHING));
	return { rivals, oursAtOnce, atOnce, batched, close: bare.close };
}

export const reads: Row = {
	name: 'reads',
	title: 'Single reads',
	run: async (bench): Promise<Findings> => {
		const reads = bench.isQuick ? 100 : 500;
		const head = `${count(reads)} single reads`;
		const quick = await contest(bench, reads, 0);
		// Short and close together, so more rounds tell more.
		const withoutLatency = await Race.run<Rival>(quick.rivals, {
			...bench,
			rounds: bench.rounds * 3,
			seconds: SECONDS,
		});
		quick.close();
		const slow = await contest(bench, reads, LATENCY);
		const atLatency = await Race.run<Rival>(slow.rivals, {
			...bench,
			seconds: SECONDS,
			warmUp: false,
		});
		// Once: it sleeps nearly all of the time.
		const batched = slow.batched && (await time(slow.batched)).ms;
		slow.close();
		const line = (name: Rival) => [
			RIVALS[name],
			beside<Rival>(withoutLatency, name),
			beside<Rival>(withoutLatency, name, 'cpu'),
			beside<Rival>(atLatency, name),
		];
		const note =
			slow.atOnce === undefined || batched === undefined
				? `HTTP Request node ${NOT_INSTALLED}.`
				: `The HTTP Request node sends all items at once, here up to ${count(slow.atOnce)} requests in flight, which a service that limits its callers may refuse; this package had ${count(slow.oursAtOnce)}. In batches of 50 a second, as its form offers them, it takes ${duration(batched)} (${times(batched / atLatency.ms('ours'))}) at ${LATENCY} ms.`;
		return {
			bars: barsOf<Rival>(`${head} at ${LATENCY} ms`, RIVALS, atLatency),
			tables: [
				{
					title: head,
					caption: `Medians of ${withoutLatency.rounds} rounds without latency, and of ${atLatency.rounds} at ${LATENCY} ms.`,
					head: ['', 'Without latency', 'Processor time of it', `At ${LATENCY} ms`],
					body: (Object.keys(RIVALS) as Rival[]).map(line),
					note: `${IN_BRACKETS} ${note}`,
				},
			],
			targets: [
				...(atLatency.has('http')
					? [
							{
								...judged(
									`${head} at ${LATENCY} ms: compared with the HTTP Request node`,
									atLatency.ratio('ours', 'http'),
									{ most: 1.3 },
									times,
									against(atLatency, 'ours', 'http'),
								),
								reason: `that node sends all ${count(reads)} at once. n8n's helper alone, with ${PARALLEL} at once, takes ${times(atLatency.ratio('helper', 'http'))}, and this package begins with 5 until it knows what the service takes.`,
							},
						]
					: []),
				judged(
					`${head} at ${LATENCY} ms: under way at once`,
					slow.oursAtOnce,
					{ most: 64 },
					count,
					slow.atOnce === undefined ? '' : `${count(slow.atOnce)} by the HTTP Request node`,
				),
				{
					...judged(
						`${head} without latency: compared with n8n's helper alone`,
						withoutLatency.ratio('ours', 'helper'),
						{ most: 1.15 },
						times,
						against(withoutLatency, 'ours', 'helper'),
					),
					reason: `${duration((withoutLatency.ms('ours') - withoutLatency.ms('helper')) / reads)} an item, for its own merchant, the checked form, the pace, the time limit and the mask.`,
				},
			],
		};
	},
};
