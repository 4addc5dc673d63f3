import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { chain, chargeParameters, coreNode, gatewayNode } from '../gatewayWorkflows';
import type { Instance } from '../instance';
import { FINISHED } from '../n8nApi';
import { Testbed } from '../testbed';
import { until } from '../until';
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

const COMPOSE = resolve(__dirname, '../../../deploy/compose.yml');
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

/**
 * The environment that deploy/compose.yml gives every n8n, so that the tests run what is deployed.
 * `${NAME:-default}` becomes its default; for a secret, `${NAME:?message}`, any text will do.
 */
async function composeEnvironment(): Promise<Record<string, string>> {
	const filled = (text: string) =>
		text.replace(/\$\{\w+:(?:-([^}]*)|[^}]*)\}/, (_, preset = 'any') => preset);
	const compose = await readFile(COMPOSE, 'utf8');
	const [, block = ''] = /^ {2}environment: &environment\n((?: {4}.*\n)+)/m.exec(compose) ?? [];
	const settings = [...block.matchAll(/^ {4}([A-Z_0-9]+): '?(.*?)'?$/gm)];
	if (settings.length === 0) throw new Error('deploy/compose.yml has no shared environment');
	return Object.fromEntries(settings.map(([, name = '', value = '']) => [name, filled(value)]));
}

export class Cluster extends Testbed {
	workers!: [Instance, Instance];
	private stores!: Stores;
	/** The workflow that charges carts. */
	private charging!: string;

	override async start(): Promise<void> {
		this.stores = await startStores();
		this.closing.push(async () => await this.stores.close());
		this.options.env = {
			...(await composeEnvironment()),
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(this.stores.redisPort),
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(this.stores.postgresPort),
		};
		await super.start();
		const worker = async (name: string) =>
			await this.startInstance(name, { concurrency: CONCURRENCY });
		this.workers = [await worker('first'), await worker('second')];
		const webhook = { httpMethod: 'POST', path: 'charge', options: {} };
		const charge = chargeParameters('={{ $json.body.cart }}', '25.00');
		this.charging = await this.api.addWorkflow(
			chain('Charge', [
				coreNode('webhook', 2, 'Webhook', webhook, { webhookId: 'charge' }),
				gatewayNode('Charge Once', charge, this.credentialId),
			]),
		);
		await this.api.activate(this.charging);
	}

	/** The executions that a worker has started and not finished, according to its log. */
	async runningOn(worker: Instance): Promise<number[]> {
		const finished = await loggedBy(worker, 'finished');
		return (await loggedBy(worker, 'started')).filter((id) => !finished.includes(id));
	}

	/** How many of the executions each worker has run. */
	async spreadOver(executions: readonly ExecutionRow[]): Promise<number[]> {
		const started = await Promise.all(
			this.workers.map(async (worker) => await loggedBy(worker, 'started')),
		);
		return started.map((ids) => executions.filter(({ id }) => ids.includes(id)).length);
	}

	/** n8n answers immediately, and a worker charges the cart. */
	async post(cart: string): Promise<void> {
		const answer = await fetch(`${this.instance.url}/webhook/charge`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ cart }),
		});
		if (!answer.ok) throw new Error(`n8n answered ${answer.status}: ${await answer.text()}`);
	}

	/** The executions that charge carts, the oldest first. */
	async executions(): Promise<ExecutionRow[]> {
		return await this.stores.query(
			`select id, status from execution_entity where "workflowId" = '${this.charging}' order by id`,
		);
	}

	/** Posts all carts simultaneously, and waits until the execution of each has ended. */
	async charge(carts: readonly string[]): Promise<ExecutionRow[]> {
		const before = (await this.executions()).length;
		await Promise.all(carts.map(async (cart) => await this.post(cart)));
		const ended = async () => {
			const rows = (await this.executions()).slice(before);
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
