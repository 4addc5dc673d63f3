import { output } from '../../engine';
import { drain, pollerFor } from '../drain';
import { measureMemory } from '../memory';
import type { Memory } from '../memory';
import { median, Race, time } from '../measure';
import type { Bench, Line, Row } from '../row';
import { count, judged, kilobytes, megabytes, milliseconds, requests, times } from '../row';
import { USUAL } from '../subject';

const HOUR = 3_600_000;
/** What happened before the workflow was activated. */
const HISTORY = { count: 300, agoMs: HOUR };

async function active(bench: Bench, pageSizeCap = Infinity) {
	await bench.service.fresh({ events: HISTORY });
	// Infinity does not travel as JSON; without a cap there is nothing to say.
	if (pageSizeCap !== Infinity) await bench.service.tell({ settings: { pageSizeCap } });
	const credentials = await bench.service.credentials();
	const poller = pollerFor(bench.subject, credentials);
	await poller.activate();
	return { poller, credentials };
}

async function idle(bench: Bench): Promise<Line[]> {
	const { poller, credentials } = await active(bench);
	const { service, subject } = bench;
	const { requests: asked, bytes } = await service.tally(async () => await poller.poll());
	const polls = bench.isQuick ? 10 : 30;
	const many = (task: () => Promise<unknown>) => async () => {
		for (let poll = 0; poll < polls; poll++) await task();
	};
	const page = { task: 'webhookEvents', pages: 1 };
	const race = await Race.run(
		{
			poll: many(() => poller.poll()),
			helper: many(() => subject.engine.run({ nodeType: USUAL, credentials, parameters: page })),
		},
		bench,
	);
	const own = (what: 'ms' | 'cpu') => race[what]('poll') / polls;
	return [
		judged('Idle poll: requests', asked, { most: 1 }, count, kilobytes(bytes)),
		{
			what: 'Idle poll: time, without latency',
			measured: `${milliseconds(own('ms'))}, ${milliseconds(own('cpu'))} of them processor time; a node that only reads that page ${milliseconds(race.ms('helper') / polls)}`,
		},
	];
}

async function backlog(bench: Bench): Promise<Line[]> {
	const events = bench.isQuick ? 1_000 : 10_000;
	const ratios: number[] = [];
	const ours: number[] = [];
	const usual: number[] = [];
	let asked = 0;
	let polls = 0;
	const rounds = Math.min(3, bench.rounds);
	for (let round = 0; round < rounds; round++) {
		bench.progress(`drain of ${count(events)}, round ${round + 1} of ${rounds}`);
		const { poller, credentials } = await active(bench);
		await bench.service.tell({ events: { count: events }, settings: { latency: 20 } });
		const drained = await bench.service.tally(
			async () =>
				await time(async () => {
					({ polls } = await drain(poller, events));
				}),
		);
		const pages = Math.ceil(events / 100);
		const parameters = { task: 'webhookEvents', pages };
		const read = await time(async () =>
			output(await bench.subject.engine.run({ nodeType: USUAL, credentials, parameters })),
		);
		asked = Math.max(asked, drained.requests);
		ours.push(drained.result.ms);
		usual.push(read.ms);
		ratios.push(drained.result.ms / read.ms);
	}
	const head = `Drain of ${count(events)} events at 20 ms`;
	return [
		judged(
			`${head}: requests`,
			asked,
			{ most: Math.ceil((130 * events) / 10_000) },
			requests,
			`${polls} polls`,
		),
		judged(
			`${head}: of reading them page after page`,
			median(ratios),
			{ most: 1.5 },
			times,
			`${milliseconds(median(ours))} against ${milliseconds(median(usual))}`,
		),
	];
}

async function memory(bench: Bench): Promise<Line[]> {
	const [few, many] = bench.isQuick ? [2_000, 10_000] : [10_000, 100_000];
	const held = async (events: number) => {
		bench.progress(`memory of a drain of ${count(events)}`);
		await bench.service.fresh({ events: HISTORY });
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
	const figures = ({ peak, typical, kept }: Memory) =>
		[peak, typical, kept].map(megabytes).join(', ');
	const small = await held(few);
	const large = await held(many);
	const page = { task: 'webhookEvents', pages: 1 };
	const credentials = await bench.service.credentials();
	const { bytes: pageBytes } = await bench.service.tally(
		async () => await bench.subject.engine.run({ nodeType: USUAL, credentials, parameters: page }),
	);
	const bytes = pageBytes / 100;
	await bench.service.fresh();
	return [
		// Beside so little a ratio of the two says nothing: what counts is what the rest adds.
		judged(
			`Drain of ${count(many)} events: what it holds more at most than for ${count(few)}, of the events more`,
			(large.peak - small.peak) / (bytes * (many - few)),
			{ most: 0.05 },
			(value) => `${(value * 100).toFixed(1)} %`,
			`${megabytes(large.peak - small.peak)} for ${megabytes(bytes * (many - few))}`,
		),
		{
			what: `Drain of ${count(many)} events: the most it holds, a poll's usual most, and what stays`,
			measured: `${figures(large)}; for ${count(few)} ${figures(small)}`,
		},
	];
}

async function cost(bench: Bench, events: number, pageSizeCap: number): Promise<Line> {
	const isCapped = pageSizeCap !== Infinity;
	bench.progress(`cost of ${count(events)} new events${isCapped ? ', capped' : ''}`);
	const { poller } = await active(bench, pageSizeCap);
	if (events > 0) await bench.service.tell({ events: { count: events } });
	const drained = await bench.service.tally(async () =>
		events === 0 ? { polls: 1, data: await poller.poll() } : await drain(poller, events),
	);
	const size = isCapped ? pageSizeCap : 100;
	const least = Math.max(1, Math.ceil(events / size));
	return {
		what: `${count(events)} new events, pages of ${size}`,
		measured: `${requests(drained.requests)}, ${drained.result.polls} polls, ${kilobytes(drained.bytes)} (${count(least)} pages hold them)`,
	};
}

export const idlePoll: Row = { name: 'idle', title: 'Idle poll', run: idle };
export const drainRow: Row = { name: 'drain', title: 'Drain of a backlog', run: backlog };
export const drainMemory: Row = { name: 'drain-memory', title: 'Memory of a drain', run: memory };
export const costs: Row = {
	name: 'costs',
	title: 'What new events cost',
	run: async (bench) => {
		const sizes = bench.isQuick ? [0, 1, 98, 500] : [0, 1, 98, 500, 5_000, 20_000];
		const lines: Line[] = [];
		for (const cap of [Infinity, 10]) {
			for (const events of sizes) lines.push(await cost(bench, events, cap));
		}
		return lines;
	},
};
