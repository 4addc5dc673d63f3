import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Inbox } from '../../demo/inbox';
import { startInbox } from '../../demo/inbox';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { Instance } from '../instance';
import { freePort, startInstance } from '../instance';
import { installPackage } from '../packed';
import { provision } from '../provision';
import { addCredential } from '../gatewayWorkflows';
import type { StoredWorkflow } from '../n8nApi';
import { FINISHED, N8nApi } from '../n8nApi';
import { RUNTIME, tarballIn, until } from '../testbed';
import { composed } from './compose';
import type { Stores } from './stores';
import { startStores } from './stores';

/**
 * Starts n8n in queue mode as deploy/compose.yml has it: a main, workers, Redis and PostgreSQL, with
 * the sandbox and the inbox. What testbed.ts is for one n8n, this is for several.
 */

export interface Worker extends Instance {
	readonly name: string;
	/** The executions that it has taken on, by its own word. */
	begun(): Promise<number[]>;
	/** Those among them that it has not ended. */
	running(): Promise<number[]>;
}

export interface ExecutionRow {
	id: number;
	status: string;
	/** `trigger`, `webhook`, `retry`, … */
	mode: string;
}

export interface Cluster {
	readonly stores: Stores;
	readonly sandbox: Sandbox;
	readonly inbox: Inbox;
	readonly main: Instance;
	readonly api: N8nApi;
	/** The ID of n8n's credential for the sandbox. */
	readonly credential: string;
	addWorker(name: string): Promise<Worker>;
	/** Stored and active; answers the ID. */
	addWorkflow(workflow: StoredWorkflow): Promise<string>;
	/** To a workflow's webhook, which answers at once and leaves the work to a worker. */
	post(path: string, body: object): Promise<void>;
	/** The oldest first. */
	executions(workflow: string): Promise<ExecutionRow[]>;
	/** Posts all at once and waits until an execution for each has ended. */
	run(workflow: string, path: string, bodies: readonly object[]): Promise<ExecutionRow[]>;
	close(): Promise<void>;
}

const DONE_WITHIN = 900_000;

export function isOver(executions: readonly ExecutionRow[]): boolean {
	return executions.every(({ status }) => FINISHED.has(status));
}

/** How many of the executions each worker has run. */
export async function spreadOver(
	workers: readonly Worker[],
	executions: readonly ExecutionRow[],
): Promise<number[]> {
	return await Promise.all(
		workers.map(async (worker) => {
			const begun = new Set(await worker.begun());
			return executions.filter(({ id }) => begun.has(id)).length;
		}),
	);
}

/** Such as "3 success, 1 error". */
export function countsOf(values: readonly string[]): string {
	const counts = new Map<string, number>();
	for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
	return [...counts].map(([value, count]) => `${count} ${value}`).join(', ') || 'none';
}

/** At once; what is logged otherwise, jest prints at the end only. */
export function say(...lines: string[]): void {
	process.stderr.write(`${lines.join('\n')}\n`);
}

/** Executions that a worker runs at once. n8n warns of fewer. */
export const CONCURRENCY = 5;

function executionsIn(log: string, what: 'started' | 'finished'): number[] {
	const pattern = new RegExp(`Worker ${what} execution (\\d+)`, 'g');
	return [...log.matchAll(pattern)].map(([, id]) => Number(id));
}

export async function startCluster(): Promise<Cluster> {
	const closing: Array<() => Promise<void>> = [];
	const close = async () => {
		for (const end of closing.splice(0).reverse()) await end();
	};
	try {
		const n8n = await provision(RUNTIME, say);
		const stores = await startStores();
		closing.push(async () => await stores.close());
		const folder = await mkdtemp(join(tmpdir(), 'n8n-queue-'));
		closing.push(async () => await rm(folder, { recursive: true, force: true }));
		const tarball = await tarballIn(join(folder, 'tarball'));
		const sandbox = await startSandbox();
		closing.push(async () => await sandbox.close());
		const inbox = await startInbox({ web: 0, smtp: await freePort() });
		closing.push(async () => await inbox.close());

		const env = {
			...(await composed({ N8N_ENCRYPTION_KEY: 'only-for-the-sandbox', POSTGRES_PASSWORD: 'any' })),
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(stores.redisPort),
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(stores.postgresPort),
		};
		const start = async (name: string, worker?: { concurrency: number }): Promise<Instance> => {
			const userFolder = join(folder, name);
			await installPackage(tarball, userFolder);
			const instance = await startInstance({ n8n, userFolder, env, ...(worker ? { worker } : {}) });
			closing.push(async () => await instance.stop());
			return instance;
		};
		const main = await start('main');
		const api = await N8nApi.logIn(main.url);
		const executions = async (workflow: string) =>
			await stores.query<ExecutionRow>(
				`select id, status, mode from execution_entity
				 where "workflowId" = '${workflow}' order by id`,
			);
		const post = async (path: string, body: object) => {
			const answer = await fetch(`${main.url}/webhook/${path}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			});
			if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
			await answer.body?.cancel();
		};
		return {
			stores,
			sandbox,
			inbox,
			main,
			api,
			credential: await addCredential(api, sandbox),
			async addWorkflow(workflow) {
				const { id } = await api.addWorkflow(workflow);
				await api.activate(id);
				return id;
			},
			post,
			executions,
			async run(workflow, path, bodies) {
				const before = (await executions(workflow)).length;
				await Promise.all(bodies.map(async (body) => await post(path, body)));
				return await until(
					`${bodies.length} executions`,
					async () => {
						const rows = (await executions(workflow)).slice(before);
						return rows.length >= bodies.length && isOver(rows) && rows;
					},
					{ within: DONE_WITHIN, every: 500 },
				);
			},
			async addWorker(name) {
				const instance = await start(name, { concurrency: CONCURRENCY });
				const said = async () => await readFile(instance.logFile, 'utf8');
				// Its process ID changes with each start, so it is not copied.
				return Object.assign(instance, {
					name,
					begun: async () => executionsIn(await said(), 'started'),
					async running() {
						const text = await said();
						const ended = new Set(executionsIn(text, 'finished'));
						return executionsIn(text, 'started').filter((id) => !ended.has(id));
					},
				});
			},
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}
