import type { INodeParameters } from 'n8n-workflow';

import type { Bench, Row } from '../frame';
import { atMost, count, duration, RIVALS_HEAD } from '../frame';
import { HTTP_REQUEST, post } from '../httpRequest';
import { Rounds } from '../rounds';
import type { Order } from '../server';
import { ACTION, USUAL } from '../subject';

/**
 * Many single reads, each of another customer: at a latency against n8n's HTTP Request node, and
 * without one against n8n's request helper alone, which shows what each item costs here.
 */

/** As many as this package has under way at most. */
const PARALLEL = 64;
const LATENCY = 20;

/** Ways to read so many customers of a service with these settings. */
export async function readers(
	{ subject, service }: Bench,
	reads: number,
	settings: Order['settings'],
) {
	const { customers, url } = await service.fresh({ customers: reads, settings });
	const items = customers.map(({ id }) => ({ id }));
	const run = async (nodeType: string, parameters: INodeParameters) => {
		const credentials = await service.newMerchant();
		return await subject.rows(reads, { nodeType, credentials, items, parameters });
	};
	const id = '={{ $json.id }}';
	const get = { resource: 'customer', operation: 'get', customerId: id };
	const body = '={ "data": { "customerID": "{{ $json.id }}" } }';
	const http = post(`${url}/api/gateway/customer`, body);
	return {
		ours: async () => await run(ACTION, get),
		http: subject.http && (async () => await run(HTTP_REQUEST, http)),
		helper: (parallel: number) => async () =>
			await run(USUAL, { task: 'get', customer: id, parallel }),
	};
}

export const reads: Row = async (bench) => {
	const reads = bench.isQuick ? 100 : 500;
	const quick = await readers(bench, reads, { latency: 0 });
	// Short and close together, so more rounds tell more.
	const alone = { ours: quick.ours, helper: quick.helper(PARALLEL) };
	const cost = await Rounds.race(bench, 9, alone);
	const slow = await readers(bench, reads, { latency: LATENCY });
	// The sandbox tells the most requests at once since its reset: the rival with fewer goes first.
	const { maxInFlight } = await bench.service.tally(slow.ours);
	const race = await Rounds.race(bench, 5, { ours: slow.ours, http: slow.http });

	const head = `${count(reads)} single reads`;
	const each = duration((cost.median('ours') - cost.median('helper')) / reads);
	return {
		title: head,
		head: RIVALS_HEAD,
		body: [
			race.line(`This package, at ${LATENCY} ms`, 'ours', 'ours'),
			race.line(`HTTP Request node, all at once, at ${LATENCY} ms`, 'http', 'ours'),
			cost.line('This package, without latency', 'ours', 'ours'),
			cost.line(`n8n's helper, ${PARALLEL} at once, without latency`, 'helper', 'ours'),
		],
		note: `Medians of ${race.count} rounds at ${LATENCY} ms, and of ${cost.count} without latency. The HTTP Request node sends all items at once, which a service that limits its callers may refuse.`,
		targets: [
			...race.atMost(
				`${head} at ${LATENCY} ms: compared with the HTTP Request node`,
				1.3,
				'ours',
				'http',
				`that node sends all ${count(reads)} at once, and this package begins with 5 until it knows what the service takes.`,
			),
			atMost(`${head} at ${LATENCY} ms: under way at once`, maxInFlight, PARALLEL, count),
			...cost.atMost(
				`${head} without latency: compared with n8n's helper alone`,
				1.15,
				'ours',
				'helper',
				`${each} an item, for its own merchant, the checked form, the pace, the time limit and the mask.`,
			),
		],
	};
};
