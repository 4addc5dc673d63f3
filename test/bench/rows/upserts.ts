import { output } from '../../engine';
import { HTTP_REQUEST, NOT_INSTALLED, post } from '../httpRequest';
import { Race } from '../measure';
import type { Bench, Findings, Row } from '../row';
import {
	against,
	barsOf,
	beside,
	count,
	IN_BRACKETS,
	judged,
	medians,
	requests,
	times,
} from '../row';
import { ACTION, USUAL } from '../subject';

/** Create or Update of many rows, against looking up and writing by hand. */

const LATENCY = 20;
const ROUNDS = 3;

const RIVALS = {
	ours: 'This package',
	http: 'Two HTTP Request nodes',
	usual: 'Sequential loop',
} as const;
type Rival = keyof typeof RIVALS;
const NAMES = Object.keys(RIVALS) as Rival[];

interface Wanted {
	email: string;
	name: string;
}

type Engine = Bench['subject']['engine'];
type Credentials = Awaited<ReturnType<Bench['service']['credentials']>>;
type Upsert = (engine: Engine, credentials: Credentials, items: Wanted[]) => Promise<number>;

/** As one wires it by hand: one node looks all of them up, the next one creates or updates. */
const withHttpRequest: Upsert = async (engine, credentials, items) => {
	const gateway = `${String(credentials.baseUrl)}/api/gateway`;
	const send = async (input: typeof items, parameters: ReturnType<typeof post>) =>
		output(
			await engine.run({
				nodeType: HTTP_REQUEST,
				credentials,
				items: input.map((item) => ({ ...item })),
				parameters,
			}),
		);
	const filter = '{ "field": "email", "operation": "equals", "value": "{{ $json.email }}" }';
	const found = await send(
		items,
		post(`${gateway}/customers`, `={ "data": { "page": { "page": 1, "filter": [${filter}] } } }`),
	);
	const form = '{ email: $json.email, nameOnCard: $json.name }';
	const written = await send(
		items.map((item, index) => {
			const [known] = found[index]?.data as Array<{ id: string }>;
			return known === undefined ? item : { ...item, id: known.id };
		}),
		post(
			`=${gateway}/{{ $json.id ? 'updateCustomer' : 'addCustomer' }}`,
			`={{ ({ data: { customerID: $json.id, form: ${form} } }) }}`,
		),
	);
	return written.length;
};

const UPSERTS: Record<Rival, Upsert> = {
	ours: async (engine, credentials, items) => {
		const parameters = {
			resource: 'customer',
			operation: 'upsert',
			email: '={{ $json.email }}',
			customerFields: { nameOnCard: '={{ $json.name }}' },
		};
		const input = items.map((item) => ({ ...item }));
		return output(await engine.run({ nodeType: ACTION, credentials, items: input, parameters }))
			.length;
	},
	http: withHttpRequest,
	usual: async (engine, credentials, items) => {
		const parameters = {
			task: 'upsert',
			email: '={{ $json.email }}',
			nameOnCard: '={{ $json.name }}',
		};
		const input = items.map((item) => ({ ...item }));
		return output(await engine.run({ nodeType: USUAL, credentials, items: input, parameters }))
			.length;
	},
};

export const upserts: Row = {
	name: 'upserts',
	title: 'Upserts',
	run: async (bench): Promise<Findings> => {
		const { service, subject } = bench;
		const items = bench.isQuick ? 100 : 1_000;
		const stored = 5 * items;
		const costs = new Map<Rival, { requests: number; maxInFlight: number }>();
		let made = 0;
		const { customers } = await service.fresh({
			customers: stored,
			settings: { latency: LATENCY },
		});
		const known = customers.slice(0, items / 2);

		/** Half new, a quarter changed, a quarter as it is; other new ones and other names each time. */
		const upsertAll = (rival: Rival) => async () => {
			const round = ++made;
			const wanted = known.flatMap(({ email, nameOnCard }, index): Wanted[] => [
				{ email, name: index % 2 === 0 ? nameOnCard : `Changed ${round}.${index}` },
				{ email: `new${round}.${index}@example.org`, name: `New ${index}` },
			]);
			const { result, ...cost } = await service.tally(
				async () => await UPSERTS[rival](subject.engine, await service.newMerchant(), wanted),
			);
			costs.set(rival, cost);
			if (result !== items) throw new Error(`${result} rows instead of ${items}`);
		};
		const race = await Race.run<Rival>(
			{
				ours: upsertAll('ours'),
				http: subject.http && upsertAll('http'),
				// It takes most of a minute each time, so not in the usual run.
				usual: bench.isFull || bench.isQuick ? upsertAll('usual') : undefined,
			},
			{ ...bench, rounds: Math.min(ROUNDS, bench.rounds), warmUp: false },
		);
		const cost = (rival: Rival) => count(costs.get(rival)?.requests ?? NaN);
		const head = `${count(items)} upserts among ${count(stored)} customers at ${LATENCY} ms`;
		const note = race.has('http')
			? ' The HTTP Request nodes look all of them up at once and then write them all at once; the merge between the two is not counted. They know nothing of duplicates, of a filter that matches too much, or of what need not be sent.'
			: ` HTTP Request nodes ${NOT_INSTALLED}.`;
		return {
			bars: barsOf<Rival>(head, RIVALS, race),
			tables: [
				{
					title: `${head}: half of them new, a quarter changed, a quarter as they are`,
					caption: `${medians(race.rounds)}.`,
					head: ['', 'Took', 'Requests'],
					body: NAMES.map((name) => [
						RIVALS[name],
						beside<Rival>(race, name),
						race.has(name) ? cost(name) : '',
					]),
					note: `${IN_BRACKETS}${note}`,
				},
			],
			targets: [
				...(race.has('http')
					? [
							judged(
								`${head}: compared with two HTTP Request nodes`,
								race.ratio('ours', 'http'),
								{ most: 1.2 },
								times,
								against(race, 'ours', 'http'),
							),
						]
					: []),
				judged(`${head}: requests`, costs.get('ours')?.requests ?? NaN, { most: 1_800 }, requests),
			],
		};
	},
};
