import type { Row } from '../frame';
import { atMost, count, RIVALS_HEAD } from '../frame';
import { allCustomers, HTTP_REQUEST } from '../httpRequest';
import { Rounds } from '../rounds';
import { ACTION, USUAL } from '../subject';

/** Get Many with Return All of customers, against the usual ways to read a list. */

const LATENCY = 20;
const PAGE = 100;

export const customers: Row = async (bench) => {
	const { subject, service } = bench;
	const customers = bench.isQuick ? 1_000 : 20_000;
	const { url } = await service.fresh({ customers, settings: { latency: LATENCY } });
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
	const pages = {
		nodeType: HTTP_REQUEST,
		credentials,
		parameters: allCustomers(`${url}/api/gateway`, PAGE),
	};
	// It puts out pages; the Split Out node that makes rows of them is not counted.
	const http = subject.http && (async () => await subject.rows(customers / PAGE, pages));
	const race = await Rounds.race(bench, 3, { ours, http, usual });
	const { requests } = await service.tally(ours);
	const head = `Return All, ${count(customers)} customers at ${LATENCY} ms`;
	return {
		title: head,
		head: RIVALS_HEAD,
		body: [
			race.line('This package', 'ours', 'ours'),
			race.line('HTTP Request node', 'http', 'ours'),
			race.line('Sequential loop', 'usual', 'ours'),
		],
		note: `Medians of ${race.count} rounds. This package does not know the service before each run, and begins with 5 requests at once. The HTTP Request node is measured without the Split Out node that makes rows of its pages.`,
		targets: [
			race.atLeast(`${head}: faster than the sequential loop`, 8, 'ours', 'usual'),
			atMost(`${head}: requests`, requests, 206, count),
		],
	};
};
