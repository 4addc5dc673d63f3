import { output } from '../../engine';
import { drain, pollerFor } from '../drain';
import { measureMemory } from '../memory';
import type { Memory } from '../memory';
import { median, Race, time } from '../measure';
import type { Bench, Findings, Row } from '../row';
import {
	count,
	duration,
	GROWTH,
	IN_BRACKETS,
	judged,
	kilobytes,
	medians,
	megabytes,
	requests,
	times,
} from '../row';
import { USUAL } from '../subject';

/** The trigger: an idle poll, a backlog, the memory that it needs, and what new events cost. */

const HOUR = 3_600_000;
const PAGE = 100;
const LATENCY = 20;
/** How many happened before the workflow was activated. */
const HISTORY = 300;
const ROUNDS = 3;

async function active(
	bench: Bench,
	{ history = HISTORY, pageSizeCap = Infinity }: { history?: number; pageSizeCap?: number } = {},
) {
	await bench.service.fresh({ events: { count: history, agoMs: HOUR } });
	// Infinity cannot be sent as JSON, and is the default anyway.
	if (pageSizeCap !== Infinity) await bench.service.tell({ settings: { pageSizeCap } });
	const credentials = await bench.service.credentials();
	const poller = pollerFor(bench.subject, credentials);
	await poller.activate();
	return { poller, credentials };
}

async function idle(bench: Bench): Promise<Findings> {
	const { service, subject } = bench;
	const polls = bench.isQuick ? 10 : 30;
	const many = (task: () => Promise<unknown>) => async () => {
		for (let poll = 0; poll < polls; poll++) await task();
	};
	const body: string[][] = [];
	let most = 0;
	let mostBytes = 0;
	let rounds = 0;
	for (const history of bench.isQuick ? [HISTORY] : [HISTORY, 20_000]) {
		const { poller, credentials } = await active(bench, { history });
		const asked = await service.tally(async () => await poller.poll());
		const page = { task: 'webhookEvents', pages: 1 };
		const race = await Race.run<'ours' | 'page'>(
			{
				ours: many(() => poller.poll()),
				page: many(() => subject.engine.run({ nodeType: USUAL, credentials, parameters: page })),
			},
			bench,
		);
		most = Math.max(most, asked.requests);
		mostBytes = Math.max(mostBytes, asked.bytes);
		rounds = race.rounds;
		const each = (name: 'ours' | 'page', what: 'ms' | 'cpu') => duration(race[what](name) / polls);
		body.push([
			count(history),
			count(asked.requests),
			kilobytes(asked.bytes),
			each('ours', 'ms'),
			each('ours', 'cpu'),
			`${each('page', 'ms')} (${times(race.ratio('page', 'ours'))})`,
		]);
	}
	return {
		tables: [
			{
				title: 'Idle poll',
				caption: `Nothing new, without latency. ${medians(rounds)} of ${polls} polls.`,
				head: [
					'Events in the list',
					'Requests',
					'Bytes of answers',
					'A poll takes',
					'Processor time',
					'A node that only reads that page',
				],
				body,
				note: IN_BRACKETS,
			},
		],
		targets: [
			judged('Idle poll: requests', most, { most: 1 }, count),
			judged('Idle poll: bytes of its answer', mostBytes, { most: 20_000 }, kilobytes),
		],
	};
}

interface Drained {
	events: number;
	rounds: number;
	ours: number;
	usual: number;
	ratio: number;
	requests: number;
	polls: number;
	bytes: number;
}

async function drained(bench: Bench, events: number, rounds: number): Promise<Drained> {
	const ratios: number[] = [];
	const ours: number[] = [];
	const usual: number[] = [];
	let asked = 0;
	let bytes = 0;
	let polls = 0;
	for (let round = 0; round < rounds; round++) {
		bench.progress(`drain of ${count(events)}, round ${round + 1} of ${rounds}`);
		const { poller, credentials } = await active(bench);
		await bench.service.tell({ events: { count: events }, settings: { latency: LATENCY } });
		const cost = await bench.service.tally(
			async () =>
				await time(async () => {
					({ polls } = await drain(poller, events));
				}),
		);
		const parameters = { task: 'webhookEvents', pages: Math.ceil(events / PAGE) };
		const read = await time(async () =>
			output(await bench.subject.engine.run({ nodeType: USUAL, credentials, parameters })),
		);
		asked = Math.max(asked, cost.requests);
		bytes = Math.max(bytes, cost.bytes);
		ours.push(cost.result.ms);
		usual.push(read.ms);
		ratios.push(cost.result.ms / read.ms);
	}
	return {
		events,
		rounds,
		ours: median(ours),
		usual: median(usual),
		ratio: median(ratios),
		requests: asked,
		polls,
		bytes,
	};
}

async function backlog(bench: Bench): Promise<Findings> {
	const [few, many] = bench.isQuick ? [1_000, 3_000] : [10_000, 100_000];
	const small = await drained(bench, few, Math.min(ROUNDS, bench.rounds));
	const all = [small];
	if (bench.isFull || bench.isQuick) all.push(await drained(bench, many, 1));
	const head = `Drain of ${count(few)} events at ${LATENCY} ms`;
	return {
		tables: [
			{
				title: 'Drain of a backlog',
				caption: `At ${LATENCY} ms; the trigger fires every event once. ${all
					.map(
						({ events, rounds }) =>
							`${count(events)}: ${rounds === 1 ? 'one round' : `median of ${rounds} rounds`}`,
					)
					.join(', ')}.`,
				head: [
					'New events',
					'This package',
					'Reading them page after page',
					'Requests',
					'Pages that hold them',
					'Polls',
					'Bytes of answers',
					'Each 1,000 take',
				],
				body: all.map((each) => [
					count(each.events),
					duration(each.ours),
					`${duration(each.usual)} (${times(1 / each.ratio)})`,
					count(each.requests),
					count(Math.ceil(each.events / PAGE)),
					count(each.polls),
					megabytes(each.bytes),
					duration((each.ours * 1000) / each.events),
				]),
				note: `${IN_BRACKETS} Reading them page after page remembers nothing, finds no event that moved meanwhile, and fires nothing.`,
			},
		],
		targets: [
			judged(
				`${head}: requests`,
				small.requests,
				{ most: Math.ceil((130 * few) / 10_000) },
				requests,
				`${small.polls} polls`,
			),
			judged(
				`${head}: compared with reading them page after page`,
				small.ratio,
				{ most: 1.5 },
				times,
				`${duration(small.ours)} against ${duration(small.usual)}`,
			),
		],
	};
}

async function memory(bench: Bench): Promise<Findings> {
	const [few, many] = bench.isQuick ? [2_000, 10_000] : [10_000, 100_000];
	const held = async (events: number) => {
		bench.progress(`memory of a drain of ${count(events)}`);
		await bench.service.fresh({ events: { count: HISTORY, agoMs: HOUR } });
		const job = {
			directory: bench.subject.directory,
			credentials: await bench.service.credentials(),
			task: 'drain' as const,
			events,
			isLive: true,
		};
		return await measureMemory(
			job,
			async () => await bench.service.tell({ events: { count: events } }),
		);
	};
	const line = (events: number, { peak, typical, kept }: Memory) => [
		count(events),
		...[peak, typical, kept].map(megabytes),
	];
	const small = await held(few);
	const large = await held(many);
	const page = { task: 'webhookEvents', pages: 1 };
	const credentials = await bench.service.credentials();
	const { bytes: pageBytes } = await bench.service.tally(
		async () => await bench.subject.engine.run({ nodeType: USUAL, credentials, parameters: page }),
	);
	const bytes = pageBytes / PAGE;
	await bench.service.fresh();
	return {
		tables: [
			{
				title: 'Memory',
				caption: 'Drain of a backlog, in a process of its own, without garbage.',
				head: ['New events', 'Peak', 'Median peak of a poll', 'In use at the end'],
				body: [line(few, small), line(many, large)],
			},
		],
		targets: [
			// Both are so small that their ratio says nothing: what counts is what more events add.
			judged(
				`Drain of ${count(many)} events: by how much its peak exceeds that of ${count(few)}, compared with the additional events`,
				(large.peak - small.peak) / (bytes * (many - few)),
				{ most: 0.05 },
				(value) => `${(value * 100).toFixed(1)} %`,
				`${megabytes(large.peak - small.peak)} for ${megabytes(bytes * (many - few))}`,
			),
		],
	};
}

async function cost(bench: Bench, events: number, pageSizeCap: number): Promise<string[]> {
	const isCapped = pageSizeCap !== Infinity;
	bench.progress(`cost of ${count(events)} new events${isCapped ? ', capped' : ''}`);
	const { poller } = await active(bench, { pageSizeCap });
	if (events > 0) await bench.service.tell({ events: { count: events } });
	const drained = await bench.service.tally(async () =>
		events === 0 ? { polls: 1, data: await poller.poll() } : await drain(poller, events),
	);
	const size = isCapped ? pageSizeCap : PAGE;
	return [
		count(events),
		count(size),
		count(Math.max(1, Math.ceil(events / size))),
		count(drained.requests),
		count(drained.result.polls),
		kilobytes(drained.bytes),
	];
}

export const idlePoll: Row = { name: 'idle', title: 'Idle poll', run: idle };
export const drainRow: Row = { name: 'drain', title: 'Drain of a backlog', run: backlog };
export const drainMemory: Row = { name: 'drain-memory', title: 'Memory of a drain', run: memory };
export const costs: Row = {
	name: 'costs',
	title: 'What new events cost',
	run: async (bench) => {
		const sizes = bench.isQuick ? [0, 1, 98, 500] : [0, 1, 98, 500, 5_000, 20_000];
		const body: string[][] = [];
		for (const cap of [Infinity, 10]) {
			for (const events of sizes) body.push(await cost(bench, events, cap));
		}
		return {
			tables: [
				{
					title: GROWTH,
					caption: 'New events for the trigger.',
					head: [
						'New events',
						'A page holds',
						'Pages that hold them',
						'Requests',
						'Polls',
						'Bytes of answers',
					],
					body,
				},
			],
		};
	},
};
