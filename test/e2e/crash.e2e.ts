import { setTimeout as wait } from 'node:timers/promises';
import { tally } from '../reliability/tally';
import type { Engine } from './instance';
import { EVERY_ENGINE } from './instance';
import { FINISHED } from './n8nApi';
import { say, startForTests, Testbed } from './testbed';
import { until } from './until';

/** n8n is killed while payments arrive: which events start a workflow, and how often. */

const KILLS = Number(process.env.CRASH_KILLS ?? 10);
/** Kills right after an activation, each of another workflow. */
const EARLY_KILLS = Math.ceil(KILLS / 2);
// Each round has a kill between polls and one during or right after a poll, each with a restart and up to 90 s of
// waiting.
jest.setTimeout(120_000 + 150_000 * KILLS);
/** The time between two polls, so that about half of the kills come before the first one. */
const EARLY_MS = 5_000;
/** Measured: longer than n8n takes to start a stored execution, shorter than to finish it. */
const HANDOVER_MS = 60;
/**
 * Attempts to start after a kill: n8n may exit during recovery when an execution was stored but
 * never started.
 */
const START_ATTEMPTS = 5;
/** After a restart, n8n resumes the work of the killed process in seconds, not in minutes. */
const SHORT_INTERVALS = {
	N8N_SCHEDULER_EXECUTOR_INTERVAL: '1',
	N8N_SCHEDULER_LEASE_DURATION: '5',
	N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '1',
	N8N_SCHEDULER_REAPER_INTERVAL: '1',
	N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '5',
	N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '1000',
};

/** Payments and kills around one active workflow. */
class Storm {
	/** The events of all payments since the activation. */
	private readonly made: string[] = [];
	/** Events that n8n had perhaps received, but not stored, when it was killed. */
	private readonly mayBeLostOrRepeated = new Set<string>();
	private kills = 0;
	private workflow = '';
	/** The data of each finished execution, by its ID. */
	private readonly finished = new Map<string, string>();

	constructor(private readonly testbed: Testbed) {}

	async activate(): Promise<void> {
		this.workflow = await this.testbed.addEventReporter();
		await this.testbed.api.activate(this.workflow);
	}

	/** In turn: paid, declined, paid and refunded. */
	pay(): void {
		const { made, testbed } = this;
		const { sandbox } = testbed;
		const before = sandbox.events.length;
		const turn = made.length % 3;
		testbed.pay({ pricing: { amount: 1000 + made.length } }, turn === 1 ? 'declined' : 'paid');
		if (turn === 2) sandbox.refund(sandbox.charges.at(-1)?.transactionID ?? '');
		made.push(...sandbox.events.slice(before).map(({ eventID }) => eventID));
	}

	/** How often each event has started an execution. */
	private async timesFired(): Promise<Map<string, number>> {
		const { api } = this.testbed;
		for (const { id, status } of await api.executions(this.workflow)) {
			if (this.finished.has(id) || !FINISHED.has(status)) continue;
			this.finished.set(id, (await api.send<{ data: string }>('GET', `executions/${id}`)).data);
		}
		const executions = [...this.finished.values()];
		const timesOf = (event: string) => executions.filter((data) => data.includes(event)).length;
		return new Map(this.made.map((event) => [event, timesOf(event)]));
	}

	/** The events that have not fired yet, some of which may be lost. */
	private async missing(): Promise<string[]> {
		const times = await this.timesFired();
		return this.made.filter((event) => times.get(event) === 0);
	}

	/** Waits for all events, except those that may be lost. */
	private async waitForAll(): Promise<void> {
		await until('all events to fire', async () =>
			(await this.missing()).every((event) => this.mayBeLostOrRepeated.has(event)),
		);
	}

	private async kill(): Promise<void> {
		await this.testbed.instance.kill();
		this.kills++;
		this.testbed.sandbox.clearFaults();
	}

	/** One payment is made while n8n is down. */
	private async recover(): Promise<void> {
		const { instance } = this.testbed;
		this.pay();
		// A process manager in production would try again, too.
		for (let attempt = 1; ; attempt++) {
			try {
				return await instance.restart();
			} catch (error) {
				if (attempt === START_ATTEMPTS) throw error;
			}
		}
	}

	async killBetweenPolls(): Promise<void> {
		await this.waitForAll();
		this.pay();
		await this.kill();
		await this.recover();
	}

	/** n8n stores an activation immediately. Only a poll since then can be lost or repeated. */
	async killEarly(): Promise<void> {
		const { testbed, mayBeLostOrRepeated } = this;
		const countPolls = () => testbed.sandbox.requestsTo('webhookEvents').length;
		const pollsBefore = countPolls();
		this.pay();
		await wait(Math.random() * EARLY_MS);
		await this.kill();
		if (countPolls() > pollsBefore) for (const event of this.made) mayBeLostOrRepeated.add(event);
		await this.recover();
		await testbed.waitForEventRequests();
		this.pay();
	}

	async killDuringRequest(): Promise<void> {
		const { sandbox } = this.testbed;
		this.pay();
		const before = sandbox.requestsTo('webhookEvents').length;
		sandbox.fault({ on: 'webhookEvents', delay: 30_000, times: Infinity });
		const isRequested = () => sandbox.requestsTo('webhookEvents').length > before;
		await until('a request for events', isRequested, { every: 1 });
		this.pay();
		await this.kill();
		await this.recover();
	}

	/** Between the response and the end of the executions that its events start. */
	async killAfterResponse(): Promise<void> {
		await this.waitForAll();
		this.pay();
		for (const event of await this.missing()) this.mayBeLostOrRepeated.add(event);
		await this.testbed.waitForEventRequests();
		await wait(Math.random() * HANDOVER_MS);
		await this.kill();
		await this.recover();
	}

	/** Counts lost and doubled events, and fails for any that is not excused. */
	async settle(engine: Engine): Promise<void> {
		const isExcused = (event: string) =>
			engine !== 'durable cursors' && this.mayBeLostOrRepeated.has(event);
		const { made, kills, testbed } = this;
		await testbed.waitForEventRequests(2);
		await this.waitForAll();
		const times = await this.timesFired();
		const lost = made.filter((event) => times.get(event) === 0);
		await testbed.api.deactivate(this.workflow);
		const doubled = made.filter((event) => (times.get(event) ?? 0) > 1);
		const wrong = {
			lost: lost.filter((event) => !isExcused(event)),
			doubled: doubled.filter((event) => !isExcused(event)),
		};
		const counts = {
			kills,
			sent: made.length,
			fired: made.length - lost.length,
			lost: wrong.lost.length,
			doubled: wrong.doubled.length,
			lostInWindow: lost.length - wrong.lost.length,
		};
		tally(`kills with ${engine}`, counts);
		say(`${engine}: ${JSON.stringify(counts)}`);
		expect(wrong).toEqual({ lost: [], doubled: [] });
	}
}

describe.each(EVERY_ENGINE)('with %s', (engine) => {
	const testbed = startForTests(new Testbed({ engine, env: SHORT_INTERVALS }));
	const allowed = engine === 'durable cursors' ? 'nothing' : 'only what docs/limits.md allows';

	test(`${KILLS} kills between polls and ${KILLS} during or right after polls lose and double ${allowed}`, async () => {
		const storm = new Storm(testbed);
		await storm.activate();
		await testbed.waitForEventRequests();
		storm.pay();
		for (let kill = 0; kill < KILLS; kill++) {
			await storm.killBetweenPolls();
			if (kill % 2 === 0) await storm.killDuringRequest();
			else await storm.killAfterResponse();
		}
		await storm.settle(engine);
	});

	test(`${EARLY_KILLS} kills right after an activation lose and double ${allowed}`, async () => {
		for (let kill = 0; kill < EARLY_KILLS; kill++) {
			const storm = new Storm(testbed);
			await storm.activate();
			await storm.killEarly();
			await storm.settle(engine);
		}
	});
});
