import { readFile } from 'node:fs/promises';
import { CARD, chain, coreNode, gatewayNode } from '../gatewayWorkflows';
import type { Instance } from '../instance';
import { ENCRYPTION_KEY } from '../instance';
import { FINISHED } from '../n8nApi';
import { Testbed } from '../testbed';
import { until } from '../until';
import { composeEnvironment } from './compose';
import type { Stores } from './stores';
import { startStores } from './stores';

/**
 * n8n in queue mode as deploy/compose.yml has it: the testbed's n8n is the main, with workers, Redis
 * and PostgreSQL. A webhook takes carts, and workers charge them.
 */

interface ExecutionRow {
	id: number;
	status: string;
}

interface Cart {
	paymentData: string;
	/** In cents. */
	total: number;
}

/** Simultaneous executions of a worker. n8n warns if there are fewer. */
export const CONCURRENCY = 5;
/** For hundreds of executions on a busy machine. */
export const PATIENCE = { within: 900_000, every: 500 };

export function haveAllFinished(executions: readonly ExecutionRow[]): boolean {
	return executions.every(({ status }) => FINISHED.has(status));
}

async function loggedBy(worker: Instance, what: 'started' | 'finished'): Promise<number[]> {
	const log = await readFile(worker.logFile, 'utf8');
	const pattern = new RegExp(`Worker ${what} execution (\\d+)`, 'g');
	return [...log.matchAll(pattern)].map(([, id]) => Number(id));
}

export class Cluster extends Testbed {
	private stores!: Stores;

	override async start(): Promise<void> {
		const stores = await startStores();
		this.stores = stores;
		this.closing.push(async () => await stores.close());
		const secrets = { N8N_ENCRYPTION_KEY: ENCRYPTION_KEY, POSTGRES_PASSWORD: 'any' };
		this.options.env = {
			...(await composeEnvironment(secrets)),
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

	/** The executions that a worker has started and not finished, according to its log. */
	async runningOn(worker: Instance): Promise<number[]> {
		const finished = await loggedBy(worker, 'finished');
		return (await loggedBy(worker, 'started')).filter((id) => !finished.includes(id));
	}

	/** How many of the executions each worker has run. */
	async spreadOver(workers: readonly Instance[], executions: readonly ExecutionRow[]) {
		const started = await Promise.all(workers.map(async (each) => await loggedBy(each, 'started')));
		return started.map((ids) => executions.filter(({ id }) => ids.includes(id)).length);
	}

	cart(referenceID: string): Cart {
		const total = 2500;
		return { paymentData: this.sandbox.addCart({ referenceID, amount: total }), total };
	}

	/** Adds and activates the workflow that charges a cart. Returns its ID. */
	async addCharging(): Promise<string> {
		const webhook = { httpMethod: 'POST', path: 'charge', options: {} };
		const charge = {
			resource: 'payment',
			operation: 'charge',
			paymentData: '={{ $json.body.paymentData }}',
			customerConsent: true,
			expectedTotal: '={{ $json.body.total / 100 }}',
			card: CARD,
		};
		const id = await this.api.addWorkflow(
			chain('Charge', [
				coreNode('webhook', 2, 'Webhook', webhook, { webhookId: 'charge' }),
				gatewayNode('Charge Once', charge, this.credentialId),
			]),
		);
		await this.api.activate(id);
		return id;
	}

	/** n8n answers immediately, and a worker charges the cart. */
	async post(cart: Cart): Promise<void> {
		const answer = await fetch(`${this.instance.url}/webhook/charge`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(cart),
		});
		const text = await answer.text();
		if (!answer.ok) throw new Error(`n8n answered ${answer.status}: ${text}`);
	}

	/** The oldest first. */
	async executions(workflow: string): Promise<ExecutionRow[]> {
		return await this.stores.query(
			`select id, status from execution_entity where "workflowId" = '${workflow}' order by id`,
		);
	}

	/** Posts all carts simultaneously, and waits until the execution of each has ended. */
	async run(workflow: string, carts: readonly Cart[]): Promise<ExecutionRow[]> {
		const before = (await this.executions(workflow)).length;
		await Promise.all(carts.map(async (cart) => await this.post(cart)));
		const ended = async () => {
			const rows = (await this.executions(workflow)).slice(before);
			return rows.length >= carts.length && haveAllFinished(rows) && rows;
		};
		return await until(`${carts.length} executions`, ended, PATIENCE);
	}

	/** How often each reference was charged. */
	timesCharged(references: readonly string[]): number[] {
		const charged = this.sandbox.charges.map(({ referenceID }) => referenceID);
		return references.map((reference) => charged.filter((each) => each === reference).length);
	}
}
