import type { INodeParameters } from 'n8n-workflow';

import type { Bench, Row } from '../frame';
import {
	ACTION,
	against,
	atMost,
	atMostAgainst,
	count,
	duration,
	median,
	race,
	rounds,
	rowsOf,
	time,
} from '../frame';
import { HTTP_REQUEST, LOOP, post } from '../rivals';
import { newMerchant } from './reads';

/**
 * What writes: Create or Update of many rows, against looking up and writing by hand; and charges,
 * with what looking up whether a reference is paid adds to each.
 */

const LATENCY = 20;
const DAY = 86_400_000;
/** As many pages at once as this package reads at most. */
const PARALLEL = 64;

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
	const items = bench.isQuick ? 100 : 1_000;
	const stored = 5 * items;
	const order = { customers: stored, settings: { latency: LATENCY } };
	const report = await bench.service.fresh(order);
	const known = report.customers.slice(0, items / 2);
	let round = 0;
	/** Half new, a quarter changed, a quarter as it is; other new ones and other names each time. */
	const rival = (upsert: typeof withHttpRequest) => async () => {
		round += 1;
		const wanted = known.flatMap(({ email, nameOnCard }, index) => [
			{ email, name: index % 2 === 0 ? nameOnCard : `Changed ${round}.${index}` },
			{ email: `new${round}.${index}@example.org`, name: `New ${index}` },
		]);
		const credentials = newMerchant(report);
		const send: Send = async (nodeType, items, parameters) =>
			await rowsOf(bench.engine, items.length, { nodeType, credentials, items, parameters });
		await upsert(send, wanted, `${report.url}/api/gateway`);
	};
	const ours = rival(withThisPackage);
	// First: its list has as many pages as it is said to have.
	const { requests } = await bench.service.tally(ours);
	const found = await race(bench, 3, { ours, http: rival(withHttpRequest) });
	const what = 'Compared with two HTTP Request nodes';
	return {
		title: `${count(items)} upserts among ${count(stored)} customers at ${LATENCY} ms`,
		note: `Half of them are new, a quarter changed, a quarter as they are. The HTTP Request nodes look all of them up at once and then write them all at once (${count(2 * items)} requests); the merge between the two is not counted. They know nothing of duplicates, of a filter that matches too much, or of what need not be sent.`,
		figures: [
			atMostAgainst(what, 1.2, against(found, 'ours', 'http')),
			atMost('Requests', requests, 1_800, count),
		],
	};
};

async function charged(bench: Bench, commits: number, events: number, ignoreSearch: boolean) {
	const { service, engine } = bench;
	// Else the node would go on trusting the search of the gateway that was measured before.
	engine.restart();
	const charge = async (options: INodeParameters) => {
		const { carts, credentials } = await service.fresh({
			events: { count: events, agoMs: DAY },
			carts: commits,
			settings: { latency: LATENCY, ignoreSearch },
		});
		const parameters = {
			resource: 'payment',
			operation: 'charge',
			customerConsent: true,
			paymentData: '={{ $json.cart }}',
			paymentType: 'card',
			card: { details: { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' } },
			options,
		};
		const items = carts.map((cart) => ({ cart }));
		return await service.tally(async () => {
			const rows = await rowsOf(engine, commits, { parameters, credentials, items });
			const charged = rows.filter((row) => row.charged === true).length;
			if (charged !== commits) throw new Error(`${charged} charges instead of ${commits}`);
		});
	};
	const blind = await charge({ allowRepeatCharge: true });
	const { ms, requests } = await charge({});
	const { credentials } = await service.ask();
	const parameters = { endpoint: 'webhookEvents', parallel: PARALLEL };
	const read = async () => await engine.run({ nodeType: LOOP, credentials, parameters });
	return {
		requests,
		/** What the look-up of one reference adds to a charge. */
		lookUp: (ms - blind.ms) / commits,
		/** All pages of the look-back, read at once by n8n's helper. */
		pages: median(await rounds(bench, 3, async () => await time(read))),
	};
}

export const commits: Row = async (bench) => {
	const [charges, events] = bench.isQuick ? [10, 500] : [100, 5_000];
	const found = async (ignoreSearch: boolean) =>
		await rounds(bench, 3, async () => await charged(bench, charges, events, ignoreSearch));
	const finds = await found(false);
	const ignores = await found(true);
	const lookUp = duration(median(finds.map((each) => each.lookUp)));
	return {
		title: `${count(charges)} commits, ${count(events)} events in the look-back, at ${LATENCY} ms`,
		note: `Charges are made one after another. What a look-up adds is the difference to the same charges without one; where the search finds references, ${lookUp}. All pages at once: n8n's helper reads all events of the look-back.`,
		figures: [
			atMost(
				'Where the search finds references: requests',
				median(finds.map(({ requests }) => requests)),
				460,
				count,
			),
			atMostAgainst(
				'Where the gateway ignores the search: a look-up, compared with all pages at once',
				1.4,
				against(ignores, 'lookUp', 'pages'),
			),
		],
	};
};
