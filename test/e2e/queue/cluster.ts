import { readFile } from 'node:fs/promises';
import type { Instance } from '../instance';
import type { StoredWorkflow } from '../n8nApi';
import { FINISHED } from '../n8nApi';
import { Testbed } from '../testbed';
import { until } from '../until';
import { composed } from './compose';
import type { Stores } from './stores';
import { startStores } from './stores';

/**
 * n8n in queue mode as deploy/compose.yml has it: the testbed's n8n is the main, and workers, Redis
 * and PostgreSQL come with it.
 */

export interface ExecutionRow {
	id: number;
	status: string;
	/** `trigger`, `webhook`, `retry`, … */
	mode: string;
}

const DONE_WITHIN = 900_000;

/** Executions that a worker runs at once. n8n warns of fewer. */
export const CONCURRENCY = 5;

export function isOver(executions: readonly ExecutionRow[]): boolean {
	return executions.every(({ status }) => FINISHED.has(status));
}

async function loggedBy(worker: Instance, what: 'started' | 'finished'): Promise<number[]> {
	const log = await readFile(worker.logFile, 'utf8');
	const pattern = new RegExp(`Worker ${what} execution (\\d+)`, 'g');
	return [...log.matchAll(pattern)].map(([, id]) => Number(id));
}

/** The executions that a worker has begun and not ended, by its own word. */
export async function runningOn(worker: Instance): Promise<number[]> {
	const ended = await loggedBy(worker, 'finished');
	return (await loggedBy(worker, 'started')).filter((id) => !ended.includes(id));
}

/** How many of the executions each worker has run. */
export async function spreadOver(
	workers: readonly Instance[],
	executions: readonly ExecutionRow[],
): Promise<number[]> {
	const begun = await Promise.all(workers.map(async (worker) => await loggedBy(worker, 'started')));
	return begun.map((ids) => executions.filter(({ id }) => ids.includes(id)).length);
}

/** Such as "3 success, 1 error". */
export function countsOf(values: readonly string[]): string {
	const each = [...new Set(values)].map(
		(value) => `${values.filter((other) => other === value).length} ${value}`,
	);
	return each.join(', ') || 'none';
}

export function statusesOf(executions: readonly ExecutionRow[]): string {
	return countsOf(executions.map(({ status }) => status));
}

export class Cluster extends Testbed {
	stores!: Stores;

	constructor() {
		super({ seed: false });
	}

	override async start(): Promise<void> {
		const stores = await startStores();
		this.stores = stores;
		this.closing.push(async () => await stores.close());
		const secrets = { N8N_ENCRYPTION_KEY: 'only-for-the-sandbox', POSTGRES_PASSWORD: 'any' };
		this.options.env = {
			...(await composed(secrets)),
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(stores.redisPort),
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(stores.postgresPort),
		};
		await super.start();
	}

	async addWorker(name: string): Promise<Instance> {
		return await this.startInstance(name, { concurrency: CONCURRENCY });
	}

	/** Stored and active; answers the ID. */
	async addActive(workflow: StoredWorkflow): Promise<string> {
		const id = await this.api.addWorkflow(workflow);
		await this.api.activate(id);
		return id;
	}

	/** To a workflow's webhook, which answers at once and leaves the work to a worker. */
	async post(path: string, body: object): Promise<void> {
		const answer = await fetch(`${this.instance.url}/webhook/${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		const words = await answer.text();
		if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${words}`);
	}

	/** The oldest first. */
	async executions(workflow: string): Promise<ExecutionRow[]> {
		return await this.stores.query(
			`select id, status, mode from execution_entity
			 where "workflowId" = '${workflow}' order by id`,
		);
	}

	/** Posts all at once and waits until an execution for each has ended. */
	async run(workflow: string, path: string, bodies: readonly object[]): Promise<ExecutionRow[]> {
		const before = (await this.executions(workflow)).length;
		await Promise.all(bodies.map(async (body) => await this.post(path, body)));
		const ended = async () => {
			const rows = (await this.executions(workflow)).slice(before);
			return rows.length >= bodies.length && isOver(rows) && rows;
		};
		const patience = { within: DONE_WITHIN, every: 500 };
		return await until(`${bodies.length} executions`, ended, patience);
	}

	/** What those executions say that did not succeed. */
	async wordsOf(executions: readonly ExecutionRow[]): Promise<string> {
		const failed = executions.filter(({ status }) => status !== 'success');
		const words = failed.map(async ({ id }) => {
			const { error } = await this.api.execution(String(id));
			return (error?.message ?? 'no error').replaceAll(/[A-Z]+-\d+/g, '…');
		});
		return countsOf(await Promise.all(words));
	}

	/** Each cart by its reference. */
	timesCharged(references: readonly string[]): string[] {
		const charged = this.sandbox.charges.map(({ referenceID }) => referenceID);
		return references.map((reference) => {
			const times = charged.filter((each) => each === reference).length;
			return ['not at all', 'once'][times] ?? 'twice';
		});
	}
}
