import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { Poller } from '../../engine';
import { log } from '../../engine';
import type { Bench, Row } from '../frame';
import {
	against,
	atMost,
	atMostAgainst,
	count,
	duration,
	kilobytes,
	median,
	megabytes,
	rounds,
	time,
} from '../frame';
import { LOOP, PAGE } from '../rivals';

/** The trigger: a poll that finds nothing new, and a backlog. */

const HOUR = 3_600_000;
const LATENCY = 20;

/** With so many events that happened before the activation. */
export async function activated({ service, engine }: Bench, history: number) {
	const { credentials } = await service.fresh({ events: { count: history, agoMs: HOUR } });
	const workflow = { id: randomUUID() };
	const poller = engine.poller({ credentials, parameters: {}, workflow });
	await poller.activate();
	return { poller, credentials, workflow };
}

export const idle: Row = async (bench) => {
	const { poller } = await activated(bench, bench.isQuick ? 300 : 20_000);
	const poll = async () => await poller.poll();
	const { requests, bytes } = await bench.service.tally(poll);
	const took = await rounds(bench, 30, async () => await time(poll));
	return {
		title: 'Idle poll',
		figures: [
			atMost('Requests', requests, 1, count),
			atMost('Bytes of its answer', bytes, 20_000, kilobytes),
			{ what: 'A poll takes', measured: duration(median(took)) },
		],
	};
};

/**
 * Lets the trigger work off a backlog, until so many events have fired. Keeps none of them, as that
 * would count where memory is measured; `see` is shown each.
 */
export async function drain(poller: Poller, events: number, see?: (event: IDataObject) => void) {
	let fired = 0;
	let state = 0;
	// Some poll may need all of its time to find the place where the last one stopped.
	for (let polls = 1; polls <= events / 100; polls++) {
		const rows = (await poller.poll())?.flat() ?? [];
		state = Math.max(state, JSON.stringify(poller.workflowMemory).length);
		// n8n hands the items over to an execution and forgets them; so does this.
		poller.emitted.length = 0;
		log.clear();
		for (const { json } of rows) see?.(json);
		fired += rows.length;
		if (fired === events) return { polls, state };
	}
	throw new Error(`${fired} events fired instead of ${events}`);
}

async function drained(bench: Bench, events: number) {
	const { service, engine } = bench;
	const { poller, credentials } = await activated(bench, 300);
	await service.ask({ events: { count: events }, settings: { latency: LATENCY } });
	const fired = new Set<unknown>();
	let found = { polls: 0, state: 0 };
	const { requests, bytes, ms } = await service.tally(async () => {
		found = await drain(poller, events, ({ eventID }) => fired.add(eventID));
	});
	if (fired.size < events) throw new Error('An event fired twice');
	const parameters = { endpoint: 'webhookEvents', pages: Math.ceil(events / PAGE) };
	const read = async () => await engine.run({ nodeType: LOOP, credentials, parameters });
	return { ...found, requests, bytes, ours: ms, usual: await time(read) };
}

export const backlog: Row = async (bench) => {
	const events = bench.isQuick ? 1_000 : 10_000;
	const found = await rounds(bench, 3, async () => await drained(bench, events));
	const most = (what: keyof (typeof found)[number]) => Math.max(...found.map((each) => each[what]));
	const compared = 'Compared with reading them page after page';
	return {
		title: `Drain of ${count(events)} events at ${LATENCY} ms`,
		note: `In ${count(most('polls'))} polls, with ${megabytes(most('bytes'))} of answers. The trigger fires every event once. Reading them page after page remembers nothing, finds no event that moved meanwhile, and fires nothing.`,
		figures: [
			atMost('Requests', most('requests'), 130, count),
			atMost('The largest state', most('state'), 64_000, kilobytes),
			atMostAgainst(compared, 1.5, against(found, 'ours', 'usual')),
		],
	};
};
