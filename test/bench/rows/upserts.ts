import type { INodeParameters } from 'n8n-workflow';

import type { Row } from '../frame';
import { atMost, count, RIVALS_HEAD } from '../frame';
import { HTTP_REQUEST, post } from '../httpRequest';
import { Rounds } from '../rounds';
import { ACTION } from '../subject';

/** Create or Update of many rows, against looking up and writing by hand. */

const LATENCY = 20;

type Wanted = { email: string; name: string };
type Send = (nodeType: string, items: Wanted[], parameters: INodeParameters) => Promise<object[]>;

async function withThisPackage(send: Send, wanted: Wanted[]): Promise<void> {
	const customerFields = { nameOnCard: '={{ $json.name }}' };
	const upsert = { resource: 'customer', operation: 'upsert', email: '={{ $json.email }}' };
	await send(ACTION, wanted, { ...upsert, customerFields });
}

/** As one wires it by hand: one node looks all of them up, the next one creates or updates. */
async function withHttpRequest(send: Send, wanted: Wanted[], gateway: string): Promise<void> {
	const filter = '{ "field": "email", "operation": "equals", "value": "{{ $json.email }}" }';
	const page = `={ "data": { "page": { "page": 1, "filter": [${filter}] } } }`;
	const found = await send(HTTP_REQUEST, wanted, post(`${gateway}/customers`, page));
	const items = wanted.map((item, index) => {
		const { data } = found[index] as { data: Array<{ id: string }> };
		return { ...item, ...(data[0] && { id: data[0].id }) };
	});
	const form = '{ email: $json.email, nameOnCard: $json.name }';
	const write = post(
		`=${gateway}/{{ $json.id ? 'updateCustomer' : 'addCustomer' }}`,
		`={{ ({ data: { customerID: $json.id, form: ${form} } }) }}`,
	);
	await send(HTTP_REQUEST, items, write);
}

export const upserts: Row = async (bench) => {
	const { service, subject } = bench;
	const items = bench.isQuick ? 100 : 1_000;
	const stored = 5 * items;
	const settings = { latency: LATENCY };
	const { customers, url } = await service.fresh({ customers: stored, settings });
	const known = customers.slice(0, items / 2);
	let round = 0;
	/** Half new, a quarter changed, a quarter as it is; other new ones and other names each time. */
	const rival = (upsert: typeof withHttpRequest) => async () => {
		round += 1;
		const wanted = known.flatMap(({ email, nameOnCard }, index): Wanted[] => [
			{ email, name: index % 2 === 0 ? nameOnCard : `Changed ${round}.${index}` },
			{ email: `new${round}.${index}@example.org`, name: `New ${index}` },
		]);
		const credentials = await service.newMerchant();
		const send: Send = async (nodeType, items, parameters) =>
			await subject.rows(items.length, { nodeType, credentials, items, parameters });
		await upsert(send, wanted, `${url}/api/gateway`);
	};
	const ours = rival(withThisPackage);
	// First: its list has as many pages as it is said to have.
	const { requests } = await service.tally(ours);
	const http = subject.http && rival(withHttpRequest);
	const race = await Rounds.race(bench, 3, { ours, http });
	const head = `${count(items)} upserts among ${count(stored)} customers at ${LATENCY} ms`;
	return {
		title: `${head}: half of them new, a quarter changed, a quarter as they are`,
		head: RIVALS_HEAD,
		body: [
			race.line('This package', 'ours', 'ours'),
			race.line('Two HTTP Request nodes', 'http', 'ours'),
		],
		note: `Medians of ${race.count} rounds. This package sent ${count(requests)} requests. The HTTP Request nodes look all of them up at once and then write them all at once (${count(2 * items)} requests); the merge between the two is not counted. They know nothing of duplicates, of a filter that matches too much, or of what need not be sent.`,
		targets: [
			...race.atMost(`${head}: compared with two HTTP Request nodes`, 1.2, 'ours', 'http'),
			atMost(`${head}: requests`, requests, 1_800, count),
		],
	};
};
