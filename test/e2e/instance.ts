import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hasEnded, kill, spawnWatched, stop } from './watchedProcess';
import type { Provisioned } from './provision';

/**
 * An n8n process with a folder and ports of its own: started, stopped, killed and restarted. It
 * shares nothing with the caller's own n8n and makes no requests to the internet.
 */

/** The user of every instance; n8n reads it from its environment. `hash` is bcrypt's of the password. */
export const OWNER = {
	email: 'owner@example.com',
	password: 'Sandbox-2026',
	firstName: 'Olivia',
	lastName: 'Owner',
	hash: '$2a$10$kvgOjmBe/Z8UI2tInOYpNu3iiA3igvxIdKfjrpKOnaU/9pf/Oir7K',
} as const;

export interface InstanceOptions {
	n8n: Provisioned;
	/** Holds everything that this instance stores; the same folder again is the same instance. */
	userFolder: string;
	/** Default: any free one. */
	port?: number;
	/** What runs polls. Default: the default engine. */
	engine?: Engine | undefined;
	/** Makes this a worker of queue mode. */
	worker?: { concurrency: number } | undefined;
	/** Overrides any other setting, such as `{ N8N_LOG_LEVEL: 'debug' }`. */
	env?: Readonly<Record<string, string>> | undefined;
}

export interface Instance {
	readonly url: string;
	readonly logFile: string;
	/** As an administrator would: n8n finishes its executions. */
	stop(): Promise<void>;
	/** Like a crash: `kill -9`, including n8n's task runner. */
	kill(): Promise<void>;
	/** Starts it with the same folder, ports and settings. Stops it first if it runs. */
	restart(): Promise<void>;
}

/** Startup takes about 10 s on an idle machine; the rest is for a busy one. */
const READY_WITHIN = 300_000;

/**
 * Below the ephemeral range: n8n takes ten seconds to listen, and meanwhile an outgoing connection,
 * even our readiness check, could take the port.
 */
const PORTS = { from: 11_000, to: 32_768 };

export async function isFree(port: number): Promise<boolean> {
	const server = createServer().listen(port, '127.0.0.1');
	try {
		await once(server, 'listening');
	} catch {
		return false;
	}
	server.close();
	await once(server, 'close');
	return true;
}

export async function freePort(): Promise<number> {
	const port = randomInt(PORTS.from, PORTS.to);
	return (await isFree(port)) ? port : await freePort();
}

const SCHEDULER = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'false',
};

/** n8n's engines for polls, and the settings that select each. */
const ENGINES = {
	/** n8n's own timers. */
	'the default engine': {},
	/** A cursor and its execution are one transaction. */
	'durable cursors': { ...SCHEDULER, N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true' },
	/** A poll starts from the state that n8n stored with the last poll that found something. */
	'the scheduler without durable cursors': SCHEDULER,
};

export type Engine = keyof typeof ENGINES;

export const EVERY_ENGINE = Object.keys(ENGINES) as Engine[];

/** Without the settings of the caller's own n8n, without the internet, only on this machine. */
function environment(options: InstanceOptions, port: number, brokerPort: number) {
	const inherited = Object.entries(process.env).filter(
		([name]) => !/^(?:N8N|DB|EXECUTIONS|QUEUE|NODE)_/.test(name) && name !== 'CI',
	);
	return {
		...Object.fromEntries(inherited),
		PATH: options.n8n.path,
		N8N_USER_FOLDER: options.userFolder,
		N8N_ENCRYPTION_KEY: 'only-for-the-sandbox',
		N8N_HOST: '127.0.0.1',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_PORT: String(port),
		N8N_EDITOR_BASE_URL: `http://127.0.0.1:${port}`,
		N8N_WEBHOOK_URL: `http://127.0.0.1:${port}`,
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
		// Browsers other than Chromium refuse a secure cookie over plain http, even on loopback.
		N8N_SECURE_COOKIE: 'false',
		N8N_INSTANCE_OWNER_MANAGED_BY_ENV: 'true',
		N8N_INSTANCE_OWNER_EMAIL: OWNER.email,
		N8N_INSTANCE_OWNER_FIRST_NAME: OWNER.firstName,
		N8N_INSTANCE_OWNER_LAST_NAME: OWNER.lastName,
		N8N_INSTANCE_OWNER_PASSWORD_HASH: OWNER.hash,
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		// Otherwise n8n fetches a package that is missing in its database from the registry.
		N8N_REINSTALL_MISSING_PACKAGES: 'false',
		GENERIC_TIMEZONE: 'America/New_York',
		...ENGINES[options.engine ?? 'the default engine'],
		// A worker serves only health pages, and only with this setting.
		QUEUE_HEALTH_CHECK_ACTIVE: String(options.worker !== undefined),
		QUEUE_HEALTH_CHECK_PORT: String(port),
		N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		...options.env,
	};
}

/** 404 also if nothing answers: not served yet. */
async function statusOf(url: string): Promise<number> {
	const answer = await fetch(url).catch(() => undefined);
	await answer?.body?.cancel();
	return answer?.status ?? 404;
}

/** Waits until n8n can be used. If it ends or takes too long, the error has the end of its log. */
async function waitUntilReady(
	url: string,
	child: ChildProcess,
	logFile: string,
	{ worker }: InstanceOptions,
): Promise<void> {
	const deadline = Date.now() + READY_WITHIN;
	while (!hasEnded(child) && Date.now() < deadline) {
		// The health pages work before the interface does, and a worker has no interface.
		const health = await statusOf(`${url}/healthz/readiness`);
		if (health === 200 && (worker || (await statusOf(`${url}/rest/login`)) !== 404)) return;
		await wait(250);
	}
	const state = hasEnded(child)
		? `stopped with exit code ${child.exitCode}`
		: `was not ready after ${READY_WITHIN / 60_000} minutes`;
	const lines = (await readFile(logFile, 'utf8')).trim().split('\n');
	throw new Error(`n8n ${state}. The end of its log:\n${lines.slice(-25).join('\n')}`);
}

/** Starts n8n and waits until it can be used: about 10 s on a new folder, 6 s afterwards. */
export async function startInstance(options: InstanceOptions): Promise<Instance> {
	const { n8n, userFolder, worker } = options;
	await mkdir(userFolder, { recursive: true });
	const port = options.port ?? (await freePort());
	const env = environment(options, port, await freePort());
	const url = `http://127.0.0.1:${port}`;
	const logFile = join(userFolder, 'n8n.log');
	const command = worker ? ['worker', `--concurrency=${worker.concurrency}`] : ['start'];

	async function start(): Promise<ChildProcess> {
		const child = spawnWatched(n8n.node, [n8n.n8n, ...command], {
			cwd: userFolder,
			env,
			output: { file: logFile },
		});
		try {
			await waitUntilReady(url, child, logFile, options);
		} catch (error) {
			await kill(child);
			throw error;
		}
		return child;
	}

	let child = await start();
	return {
		url,
		logFile,
		stop: async () => await stop(child),
		kill: async () => await kill(child),
		async restart() {
			await stop(child);
			child = await start();
		},
	};
}
