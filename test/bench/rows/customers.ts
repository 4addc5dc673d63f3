import { output } from '../../engine';
import { floor, inParallel } from '../floor';
import { allPages, HTTP_REQUEST, NOT_INSTALLED } from '../httpRequest';
import { Race } from '../measure';
import type { Bench, Findings, Row, Table, Target } from '../row';
import {
	against,
	barsOf,
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

/** Get Many with Return All of customers, against the usual ways to read a list. */

interface Size {
	customers: number;
	latency: number;
	target?: { faster: number; requests: number };
}

const PAGE = 100;
/** As many as this package has under way at most. */
const PARALLEL = 64;
/** For one size; the longest ones take more, for the rounds that there have to be. */
const SECONDS = 30;

const TARGETED: Size = {
	customers: 20_000,
	latency: 20,
	target: { faster: 8, requests: 206 },
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
					credentials: await service.newMerchant(),
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
	const cost = await service.tally(ours);
	bare.close();
	return { ...size, race, requests: cost.requests };
}

function targetsOf(contest: Contest): Target[] {
	const { customers, latency, target, race } = contest;
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
		judged(`${head}: requests`, contest.requests, { most: target.requests }, requests),
	];
}

function comparison(contests: readonly Contest[]): Table {
	const rounds = contests.map(({ race }) => race.rounds);
	const [fewest, most] = [Math.min(...rounds), Math.max(...rounds)];
	return {
		title: 'Return All of customers',
		caption: fewest === most ? `${medians(most)}.` : `Medians of ${fewest} to ${most} rounds.`,
		head: ['Customers', 'Latency', ...Object.values(RIVALS), 'Requests'],
		body: contests.map((contest) => [
			count(contest.customers),
			`${contest.latency} ms`,
			...NAMES.map((name) => beside<Rival>(contest.race, name)),
			count(contest.requests),
		]),
		note: `${IN_BRACKETS} This package does not know the service before each run, and begins with 5 requests at once. The HTTP Request node is measured without the Split Out node that makes rows of its pages.`,
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
		const charted = contests.find(({ target }) => target !== undefined) ?? contests.at(-1);
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
			...(charted && {
				bars: barsOf<Rival>(
					`Return All of ${count(charted.customers)} customers at ${charted.latency} ms`,
					RIVALS,
					charted.race,
				),
			}),
		};
	},
};
