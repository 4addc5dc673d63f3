import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { Row } from '../frame';
import { count, judged, RIVALS_HEAD } from '../frame';
import { HTTP_REQUEST, post } from '../httpRequest';
import { Rounds } from '../rounds';
import type { Subject } from '../subject';
import { ACTION } from '../subject';

/** Create or Update of many rows, against looking up and writing by hand. */

const LATENCY = 20;

const RIVALS = { ours: 'This package', http: 'Two HTTP Request nodes' } as const;

interface Wanted {
	email: string;
	name: string;
}

type Upsert = (
	subject: Subject,
	credentials: ICredentialDataDecryptedObject,
	wanted: Wanted[],
) => Promise<void>;

const withThisPackage: Upsert = async (subject, credentials, wanted) => {
	await subject.rows(wanted.length, {
		nodeType: ACTION,
		credentials,
		items: wanted.map((item) => ({ ...item })),
		parameters: {
			resource: 'customer',
			operation: 'upsert',
			email: '={{ $json.email }}',
			customerFields: { nameOnCard: '={{ $json.name }}' },
		},
	});
};

/** As one wires it by hand: one node looks all of them up, the next one creates or updates. */
const withHttpRequest: Upsert = async (subject, credentials, wanted) => {
	const gateway = `${String(credentials.baseUrl)}/api/gateway`;
	const send = async (items: Wanted[], parameters: ReturnType<typeof post>) =>
		await subject.rows(items.length, {
			nodeType: HTTP_REQUEST,
			credentials,
			items: items.map((item) => ({ ...item })),
			parameters,
		});
	const filter = '{ "field": "email", "operation": "equals", "value": "{{ $json.email }}" }';
	const found = await send(
		wanted,
		post(`${gateway}/customers`, `={ "data": { "page": { "page": 1, "filter": [${filter}] } } }`),
	);
	const form = '{ email: $json.email, nameOnCard: $json.name }';
	await send(
		wanted.map((item, index) => {
			const [known] = found[index]?.data as Array<{ id: string }>;
			return known === undefined ? item : { ...item, id: known.id };
		}),
		post(
			`=${gateway}/{{ $json.id ? 'updateCustomer' : 'addCustomer' }}`,
			`={{ ({ data: { customerID: $json.id, form: ${form} } }) }}`,
		),
	);
};

export const upserts: Row = {
	name: 'upserts',
	run: async (bench) => {
		const { service, subject } = bench;
		const items = bench.isQuick ? 100 : 1_000;
		const stored = 5 * items;
		const { customers } = await service.fresh({
			customers: stored,
			settings: { latency: LATENCY },
		});
		const known = customers.slice(0, items / 2);
		let made = 0;
		/** Half new, a quarter changed, a quarter as it is; other new ones and other names each time. */
		const rival = (upsert: Upsert) => async () => {
			const round = ++made;
			const wanted = known.flatMap(({ email, nameOnCard }, index): Wanted[] => [
				{ email, name: index % 2 === 0 ? nameOnCard : `Changed ${round}.${index}` },
				{ email: `new${round}.${index}@example.org`, name: `New ${index}` },
			]);
			await upsert(subject, await service.newMerchant(), wanted);
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
			body: race.lines(RIVALS),
			note: `Medians of ${race.count} rounds. This package sent ${count(requests)} requests. The HTTP Request nodes look all of them up at once and then write them all at once (${count(2 * items)} requests); the merge between the two is not counted. They know nothing of duplicates, of a filter that matches too much, or of what need not be sent.`,
			targets: [
				...race.atMost(`${head}: compared with two HTTP Request nodes`, 1.2, 'ours', 'http'),
				judged(`${head}: requests`, requests, { most: 1_800 }, count),
			],
		};
	},
};
