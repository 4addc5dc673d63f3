import { output } from '../../engine';
import { HTTP_REQUEST, NOT_INSTALLED, post } from '../httpRequest';
import { median, time } from '../measure';
import type { Bench, Findings, Row } from '../row';
import { count, duration, IN_BRACKETS, medians, NOT_MEASURED, times } from '../row';
import { ACTION, USUAL } from '../subject';

const LATENCY = 20;
/** The sequential loop alone takes most of a minute each time. */
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

async function upsertAll(bench: Bench, rival: Rival, items: number) {
	// Made anew each time: a run leaves no new customers for the next one.
	const { customers } = await bench.service.fresh({
		customers: items / 2,
		settings: { latency: LATENCY },
	});
	const credentials = await bench.service.credentials();
	const wanted = customers.flatMap(({ email }, index) => [
		{ email, name: `Known ${index}` },
		{ email: `new${index}@example.org`, name: `New ${index}` },
	]);
	return await bench.service.tally(
		async () =>
			await time(async () => {
				const rows = await UPSERTS[rival](bench.subject.engine, credentials, wanted);
				if (rows !== items) throw new Error(`${rows} rows instead of ${items}`);
			}),
	);
}

type Run = Awaited<ReturnType<typeof upsertAll>>;

export const upserts: Row = {
	name: 'upserts',
	title: 'Upserts',
	run: async (bench): Promise<Findings> => {
		const items = bench.isQuick ? 100 : 1_000;
		const rounds = Math.min(ROUNDS, bench.rounds);
		const present = NAMES.filter((name) => name !== 'http' || bench.subject.http !== undefined);
		const runs: Record<Rival, Run[]> = { ours: [], http: [], usual: [] };
		for (let round = 0; round < rounds; round++) {
			for (const name of round % 2 === 0 ? present : [...present].reverse()) {
				bench.progress(`round ${round + 1} of ${rounds}: ${name}`);
				runs[name].push(await upsertAll(bench, name, items));
			}
		}
		const ratio = (name: Rival) =>
			times(
				median(
					runs[name].map(({ result }, round) => result.ms / (runs.ours[round]?.result.ms ?? NaN)),
				),
			);
		const line = (name: Rival) => {
			if (!present.includes(name)) return [RIVALS[name], NOT_MEASURED, '', ''];
			const took = duration(median(runs[name].map(({ result }) => result.ms)));
			return [
				RIVALS[name],
				name === 'ours' ? took : `${took} (${ratio(name)})`,
				count(median(runs[name].map((run) => run.requests))),
				count(Math.max(...runs[name].map((run) => run.maxInFlight))),
			];
		};
		const note = bench.subject.http
			? ' The HTTP Request nodes look all of them up at once and then write them all at once; the merge between the two is not counted. They know nothing of duplicates, of a filter that matches too much, or of what need not be sent.'
			: ` HTTP Request nodes ${NOT_INSTALLED}.`;
		return {
			tables: [
				{
					title: `${count(items)} upserts, half of them new, at ${LATENCY} ms`,
					caption: `${medians(rounds)}.`,
					head: ['', 'Took', 'Requests', 'In flight at most'],
					body: NAMES.map(line),
					note: `${IN_BRACKETS}${note}`,
				},
			],
		};
	},
};
