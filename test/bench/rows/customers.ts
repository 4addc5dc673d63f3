import { output } from '../../engine';
import { floor, inParallel } from '../floor';
import { allPages, HTTP_REQUEST, NOT_INSTALLED } from '../httpRequest';
import { median, Race, time } from '../measure';
import type { Bench, Findings, Row, Table, Target } from '../row';
import {
	against,
	beside,
	count,
	duration,
	GROWTH,
	IN_BRACKETS,
	judged,
	medians,
	NOT_MEASURED,
	requests,
	times,
} from '../row';
import { ACTION, USUAL } from '../subject';

interface Size {
	customers: number;
	latency: number;
	target?: { faster: number; trips: number; requests: number };
}

const PAGE = 100;
const PARALLEL = 5;
/** For one size; the longest ones take more, for the rounds that there have to be. */
const SECONDS = 30;

const TARGETED: Size = {
	customers: 5_000,
	latency: 20,
	target: { faster: 4, trips: 1.4, requests: 52 },
};
const QUICK: Size[] = [200, 1_000].map((customers) => ({ customers, latency: 20 }));
const FULL: Size[] = [0, 20, 100].flatMap((latency) =>
	[1_000, 5_000, 20_000].map((customers) =>
		customers === TARGETED.customers && latency === TARGETED.latency
			? TARGETED
			: { customers, latency },
	),
);

const RIVALS = {
	ours: 'This package',
	http: 'HTTP Request node',
	usual: 'Sequential loop',
	helper: `n8n's helper, ${PARALLEL} at once`,
	bareAxios: `Bare axios, ${PARALLEL} at once`,
} as const;
type Rival = keyof typeof RIVALS;
const NAMES = Object.keys(RIVALS) as Rival[];

interface Contest extends Size {
	race: Race<Rival>;
	requests: number;
	/** A single page with nothing else under way, and how many of them the list needs in turn. */
	trip: number;
	trips: number;
}

async function contest(bench: Bench, size: Size, warmUp: boolean): Promise<Contest> {
	const { subject, service } = bench;
	const { engine } = subject;
	const { customers, latency } = size;
	await service.fresh({ customers, settings: { latency } });
	const credentials = await service.credentials();
	const bare = await floor(service);
	const pages = Math.ceil(customers / PAGE);
	const page = async (number: number) =>
		await bare.customers('customers', { page: { page: number, pageSize: PAGE } });
	const complete = (rows: number) => {
		if (rows !== customers) throw new Error(`${rows} rows came instead of ${customers}`);
	};
	const ours = async () =>
		complete(
			output(
				await engine.run({
					nodeType: ACTION,
					credentials,
					parameters: { resource: 'customer', operation: 'getAll', returnAll: true },
				}),
			).length,
		);
	const loop = async (parallel: number) => {
		const parameters = { task: 'customers', parallel };
		complete(output(await engine.run({ nodeType: USUAL, credentials, parameters })).length);
	};
	const http = async () => {
		const parameters = allPages(`${String(credentials.baseUrl)}/api/gateway/customers`, PAGE);
		const answers = output(await engine.run({ nodeType: HTTP_REQUEST, credentials, parameters }));
		complete(answers.reduce((rows, { data }) => rows + (data as unknown[]).length, 0));
	};
	const all = Array.from({ length: pages }, (_, index) => async () => await page(index + 1));

	const race = await Race.run<Rival>(
		{
			ours,
			http: subject.http && http,
			usual: async () => await loop(1),
			helper: async () => await loop(PARALLEL),
			bareAxios: async () => await inParallel(all, PARALLEL),
		},
		{ ...bench, seconds: SECONDS, warmUp },
	);
	const single: number[] = [];
	for (let tries = 0; tries < 9; tries++) single.push((await time(() => page(1))).ms);
	const cost = await service.tally(ours);
	bare.close();
	const trips = 1 + Math.ceil((pages - 1) / PARALLEL);
	return { ...size, race, requests: cost.requests, trip: median(single), trips };
}

const ofTheBound = ({ race, trips, trip }: Contest) => race.ms('ours') / (trips * trip);

function targetsOf(contest: Contest): Target[] {
	const { customers, latency, target, race, trips, trip } = contest;
	if (target === undefined) return [];
	const head = `Return All, ${count(customers)} customers at ${latency} ms`;
	return [
		judged(
			`${head}: faster than the sequential loop`,
			race.ratio('usual', 'ours'),
			{ least: target.faster },
			times,
			against(race, 'ours', 'usual'),
		),
		judged(
			`${head}: of the bound`,
			ofTheBound(contest),
			{ most: target.trips },
			times,
			`${trips} trips of ${duration(trip)}`,
		),
		judged(`${head}: requests`, contest.requests, { most: target.requests }, requests),
	];
}

function comparison(contests: readonly Contest[]): Table {
	const rounds = contests.map(({ race }) => race.rounds);
	const [fewest, most] = [Math.min(...rounds), Math.max(...rounds)];
	return {
		title: 'Return All of customers',
		caption: fewest === most ? `${medians(most)}.` : `Medians of ${fewest} to ${most} rounds.`,
		head: ['Customers', 'Latency', ...Object.values(RIVALS), 'Requests', 'Of the bound'],
		body: contests.map((contest) => [
			count(contest.customers),
			`${contest.latency} ms`,
			...NAMES.map((name) => beside<Rival>(contest.race, name)),
			count(contest.requests),
			contest.latency === 0 ? '–' : times(ofTheBound(contest)),
		]),
		note: `${IN_BRACKETS} The bound is what ${PARALLEL} requests at once cannot beat: a page, then the others ${PARALLEL} by ${PARALLEL}, each as long as one page takes alone; without latency it means nothing. The HTTP Request node is measured without the Split Out node that makes rows of its pages.`,
	};
}

function processorTime(contests: readonly Contest[]): Table {
	const [first] = contests;
	const latency = first?.latency ?? 0;
	return {
		title: 'Return All of customers',
		caption: `Processor time of the n8n process, at ${latency} ms.`,
		head: ['Customers', ...Object.values(RIVALS)],
		body: contests
			.filter((contest) => contest.latency === latency)
			.map(({ customers, race }) => [
				count(customers),
				...NAMES.map((name) => beside<Rival>(race, name, 'cpu')),
			]),
	};
}

/** Of one latency: all sizes of each rival in a line. */
function growth(contests: readonly Contest[]): Table[] {
	const small = contests[0];
	const large = contests.at(-1);
	if (small === undefined || large === undefined || small === large) return [];
	return [
		{
			title: GROWTH,
			caption: `Return All at ${small.latency} ms.`,
			head: [
				'',
				...contests.map(({ customers }) => `${count(customers)} customers`),
				`${times(large.customers / small.customers)} as many take`,
				'Each further 1,000',
			],
			body: NAMES.map((name) => {
				if (!small.race.has(name)) return [RIVALS[name], NOT_MEASURED];
				const more = large.race.ms(name) - small.race.ms(name);
				return [
					RIVALS[name],
					...contests.map(({ race }) => duration(race.ms(name))),
					times(large.race.ms(name) / small.race.ms(name)),
					duration((more * 1000) / (large.customers - small.customers)),
				];
			}),
		},
	];
}

export const customers: Row = {
	name: 'customers',
	title: 'All customers',
	run: async (bench): Promise<Findings> => {
		const sizes = bench.isQuick ? QUICK : bench.isFull ? FULL : [TARGETED];
		const contests: Contest[] = [];
		for (const size of sizes) {
			const head = `${count(size.customers)} at ${size.latency} ms`;
			const progress = (words: string) => bench.progress(`${head}, ${words}`);
			contests.push(await contest({ ...bench, progress }, size, contests.length === 0));
		}
		const latencies = [...new Set(contests.map(({ latency }) => latency))];
		const compared = comparison(contests);
		const missing = bench.subject.http ? '' : ` HTTP Request node ${NOT_INSTALLED}.`;
		return {
			tables: [
				{ ...compared, note: `${compared.note ?? ''}${missing}` },
				processorTime(contests),
				...latencies.flatMap((latency) =>
					growth(contests.filter((contest) => contest.latency === latency)),
				),
			],
			targets: contests.flatMap(targetsOf),
		};
	},
};
