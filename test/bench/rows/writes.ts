import type { INodeParameters } from 'n8n-workflow';

import type { Bench, Row } from '../frame';
import { ACTION, atMost, count, duration, median, Rounds, time } from '../frame';
import { HTTP_REQUEST, LOOP, post } from '../rivals';

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
	const { customers, url } = await bench.service.fresh(order);
	const known = customers.slice(0, items / 2);
	let round = 0;
	/** Half new, a quarter changed, a quarter as it is; other new ones and other names each time. */
	const rival = (upsert: typeof withHttpRequest) => async () => {
		round += 1;
		const wanted = known.flatMap(({ email, nameOnCard }, index): Wanted[] => [
			{ email, name: index % 2 === 0 ? nameOnCard : `Changed ${round}.${index}` },
			{ email: `new${round}.${index}@example.org`, name: `New ${index}` },
		]);
		const credentials = await bench.service.newMerchant();
		const send: Send = async (nodeType, items, parameters) =>
			await bench.subject.rows(items.length, { nodeType, credentials, items, parameters });
		await upsert(send, wanted, `${url}/api/gateway`);
	};
	const ours = rival(withThisPackage);
	// First: its list has as many pages as it is said to have.
	const { requests } = await bench.service.tally(ours);
	const race = await Rounds.race(bench, 3, { ours, http: rival(withHttpRequest) });
	return {
		title: `${count(items)} upserts among ${count(stored)} customers at ${LATENCY} ms`,
		note: `Half of them are new, a quarter changed, a quarter as they are. The HTTP Request nodes look all of them up at once and then write them all at once (${count(2 * items)} requests); the merge between the two is not counted. They know nothing of duplicates, of a filter that matches too much, or of what need not be sent.`,
		figures: [
			race.atMost('Compared with two HTTP Request nodes', 1.2, 'ours', 'http'),
			atMost('Requests', requests, 1_800, count),
		],
	};
};

async function charged(bench: Bench, commits: number, events: number, ignoreSearch: boolean) {
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
	const read = { nodeType: LOOP, credentials: await service.credentials(), parameters };
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
	const rounds = async (ignoreSearch: boolean) =>
		await Rounds.run(bench, 3, async () => await charged(bench, charges, events, ignoreSearch));
	const finds = await rounds(false);
	const ignores = await rounds(true);
	const lookUp = 'Where the service ignores the search: a look-up, compared with all pages at once';
	return {
		title: `${count(charges)} commits, ${count(events)} events in the look-back, at ${LATENCY} ms`,
		note: `Charges are made one after another. What a look-up adds is the difference to the same charges without one; where the search finds references, ${duration(finds.median('lookUp'))}. All pages at once: n8n's helper reads all events of the look-back.`,
		figures: [
			atMost('Where the search finds references: requests', finds.median('requests'), 460, count),
			ignores.atMost(lookUp, 1.4, 'lookUp', 'pages'),
		],
	};
};
