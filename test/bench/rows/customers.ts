import type { Row } from '../frame';
import { count, atMost, RIVALS_HEAD } from '../frame';
import { allPages, HTTP_REQUEST } from '../httpRequest';
import { Rounds } from '../rounds';
import { ACTION, USUAL } from '../subject';

/** Get Many with Return All of customers, against the usual ways to read a list. */

const LATENCY = 20;
const PAGE = 100;

const RIVALS = {
	ours: 'This package',
	http: 'HTTP Request node',
	usual: 'Sequential loop',
} as const;

export const customers: Row = {
	name: 'customers',
	run: async (bench) => {
		const { subject, service } = bench;
		const customers = bench.isQuick ? 1_000 : 20_000;
		await service.fresh({ customers, settings: { latency: LATENCY } });
		const credentials = await service.credentials();
		const ours = async () =>
			await subject.rows(customers, {
				nodeType: ACTION,
				credentials: await service.newMerchant(),
				parameters: { resource: 'customer', operation: 'getAll', returnAll: true },
			});
		const task = { task: 'customers' };
		const usual = async () =>
			await subject.rows(customers, { nodeType: USUAL, credentials, parameters: task });
		const pages = allPages(`${String(credentials.baseUrl)}/api/gateway/customers`, PAGE);
		// It puts out pages; the Split Out node that makes rows of them is not counted.
		const http = async () =>
			await subject.rows(customers / PAGE, {
				nodeType: HTTP_REQUEST,
				credentials,
				parameters: pages,
			});
		const race = await Rounds.race(bench, 3, { ours, http: subject.http && http, usual });
		const { requests } = await service.tally(ours);
		const head = `Return All, ${count(customers)} customers at ${LATENCY} ms`;
		return {
			title: head,
			head: RIVALS_HEAD,
			body: race.lines(RIVALS),
			note: `Medians of ${race.count} rounds. This package does not know the service before each run, and begins with 5 requests at once. The HTTP Request node is measured without the Split Out node that makes rows of its pages.`,
			targets: [
				race.atLeast(`${head}: faster than the sequential loop`, 8, 'ours', 'usual'),
				atMost(`${head}: requests`, requests, 206, count),
			],
		};
	},
};
