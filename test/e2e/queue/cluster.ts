import { readFile } from 'node:fs/promises';
import { CARD, chain, gateway, stock } from '../gatewayWorkflows';
import type { Instance } from '../instance';
import { FINISHED } from '../n8nApi';
import { Testbed } from '../testbed';
import { until } from '../until';
import { composed } from './compose';
import type { Stores } from './stores';
import { startStores } from './stores';

/**
 * n8n in queue mode as deploy/compose.yml has it: the testbed's n8n is the main, and workers, Redis
 * and PostgreSQL come with it. Charges are asked for at a webhook, and workers make them.
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

/** Executions that a worker runs at once. n8n warns of fewer. */
export const CONCURRENCY = 5;
const DONE_WITHIN = 900_000;

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

	/** The executions that a worker has begun and not ended, by its own word. */
	async runningOn(worker: Instance): Promise<number[]> {
		const ended = await loggedBy(worker, 'finished');
		return (await loggedBy(worker, 'started')).filter((id) => !ended.includes(id));
	}

	/** How many of the executions each worker has run. */
	async spreadOver(workers: readonly Instance[], executions: readonly ExecutionRow[]) {
		const begun = await Promise.all(workers.map(async (each) => await loggedBy(each, 'started')));
		return begun.map((ids) => executions.filter(({ id }) => ids.includes(id)).length);
	}

	cart(referenceID: string): Cart {
		const total = 2500;
		return { paymentData: this.sandbox.addCart({ referenceID, amount: total }), total };
	}

	/** Adds the workflow that charges a cart, and switches it on; answers its ID. */
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
				stock('webhook', 2, 'Webhook', webhook, { webhookId: 'charge' }),
				gateway('Charge Once', charge, this.credential),
			]),
		);
		await this.api.activate(id);
		return id;
	}

	/** n8n answers at once and leaves the work to a worker. */
	async post(cart: Cart): Promise<void> {
		const answer = await fetch(`${this.instance.url}/webhook/charge`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(cart),
		});
		const words = await answer.text();
		if (!answer.ok) throw new Error(`n8n answered ${answer.status}: ${words}`);
	}

	/** The oldest first. */
	async executions(workflow: string): Promise<ExecutionRow[]> {
		return await this.stores.query(
			`select id, status from execution_entity where "workflowId" = '${workflow}' order by id`,
		);
	}

	areOver(executions: readonly ExecutionRow[]): boolean {
		return executions.every(({ status }) => FINISHED.has(status));
	}

	/** Posts all at once and waits until an execution for each has ended. */
	async run(workflow: string, carts: readonly Cart[]): Promise<ExecutionRow[]> {
		const before = (await this.executions(workflow)).length;
		await Promise.all(carts.map(async (cart) => await this.post(cart)));
		const ended = async () => {
			const rows = (await this.executions(workflow)).slice(before);
			return rows.length >= carts.length && this.areOver(rows) && rows;
		};
		const patience = { within: DONE_WITHIN, every: 500 };
		return await until(`${carts.length} executions`, ended, patience);
	}

	/** Each cart by its reference. */
	timesCharged(references: readonly string[]): number[] {
		const charged = this.sandbox.charges.map(({ referenceID }) => referenceID);
		return references.map((reference) => charged.filter((each) => each === reference).length);
	}
}
