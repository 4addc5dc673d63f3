import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chown, mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from '../instance';
import { run } from '../provision';
import { until } from '../testbed';

/** A Redis and a PostgreSQL for one test run, on this machine alone, in temporary folders. */

export interface Stores {
	readonly redisPort: number;
	readonly postgresPort: number;
	/** The rows that an SQL query answers. */
	query<Row>(sql: string): Promise<Row[]>;
	/** For an SQL command that answers nothing. */
	command(sql: string): Promise<void>;
	close(): Promise<void>;
}

const DATABASE = 'n8n';
const STARTED_WITHIN = 30_000;
const PACKAGES = ['redis-server', 'postgresql'];

/** Where Debian puts what it does not put into the PATH, the newest version first. */
async function postgresFolders(): Promise<string[]> {
	const root = '/usr/lib/postgresql';
	const versions = await readdir(root).catch(() => []);
	return versions.sort((a, b) => Number(b) - Number(a)).map((each) => join(root, each, 'bin'));
}

async function find(program: string): Promise<string | undefined> {
	for (const folder of [
		...(await postgresFolders()),
		...(process.env.PATH ?? '').split(delimiter),
	]) {
		const file = join(folder, program);
		const isThere = await access(file).then(
			() => true,
			() => false,
		);
		if (isThere) return file;
	}
	return undefined;
}

interface Programs {
	redis: string;
	initdb: string;
	postgres: string;
	psql: string;
}

async function findAll(): Promise<Programs | undefined> {
	const redis = await find('redis-server');
	const initdb = await find('initdb');
	const postgres = await find('postgres');
	const psql = await find('psql');
	return redis && initdb && postgres && psql ? { redis, initdb, postgres, psql } : undefined;
}

const isRoot = () => process.getuid?.() === 0;

async function programs(): Promise<Programs> {
	const there = await findAll();
	if (there) return there;
	const words = `needs ${PACKAGES.join(' and ')}`;
	throw new Error(`Queue mode ${words} (on Debian or Ubuntu, apt-get install ${PACKAGES.join(' ')})`);
}

interface Account {
	uid: number;
	gid: number;
}

/** PostgreSQL does not run as root; Debian brings an account along. */
async function postgresAccount(): Promise<Account | undefined> {
	if (!isRoot()) return undefined;
	const [uid, gid] = [await run('id', ['-u', 'postgres']), await run('id', ['-g', 'postgres'])];
	return { uid: Number(uid), gid: Number(gid) };
}

interface Server {
	stop(): Promise<void>;
}

/** Runs until it is stopped, and not longer than this process. */
async function serve(
	program: string,
	args: readonly string[],
	{ folder, account, stopBy }: { folder: string; account?: Account; stopBy: NodeJS.Signals },
	isReady: () => Promise<boolean>,
): Promise<Server> {
	const logFile = join(folder, 'server.log');
	const output = await open(logFile, 'a');
	const child = spawn(program, args, {
		cwd: folder,
		stdio: ['ignore', output.fd, output.fd],
		...account,
	});
	await output.close();
	const ended = once(child, 'exit');
	const killAtExit = () => child.kill('SIGKILL');
	process.once('exit', killAtExit);
	const isRunning = () => child.exitCode === null && child.signalCode === null;
	const stop = async () => {
		process.off('exit', killAtExit);
		if (!isRunning()) return;
		child.kill(stopBy);
		await ended;
	};
	try {
		await until(
			program,
			async () => {
				if (!isRunning()) throw new Error(`${program} ended: ${await readFile(logFile, 'utf8')}`);
				return await isReady();
			},
			{ within: STARTED_WITHIN },
		);
	} catch (error) {
		await stop();
		throw error;
	}
	return { stop };
}

async function folderFor(name: string, account?: Account): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), `n8n-${name}-`));
	if (account) await chown(folder, account.uid, account.gid);
	return folder;
}

const answers = async (work: Promise<unknown>) =>
	await work.then(
		() => true,
		() => false,
	);

async function initialize(program: string, data: string, account?: Account): Promise<void> {
	const args = ['-D', data, '-U', DATABASE, '-A', 'trust', '-E', 'UTF8', '--no-locale'];
	const child = spawn(program, args, { cwd: join(data, '..'), stdio: 'ignore', ...account });
	const [code] = await once(child, 'exit');
	if (code !== 0) throw new Error(`initdb ended with ${code}`);
}

export async function startStores(): Promise<Stores> {
	const { redis, initdb, postgres, psql } = await programs();
	const closing: Array<() => Promise<void>> = [];
	const close = async () => {
		for (const end of closing.splice(0).reverse()) await end();
	};
	const keepIn = async (name: string, account?: Account) => {
		const folder = await folderFor(name, account);
		closing.push(async () => await rm(folder, { recursive: true, force: true }));
		return folder;
	};
	try {
		const redisPort = await freePort();
		const redisFolder = await keepIn('redis');
		const ping = async () =>
			await run('redis-cli', ['-h', '127.0.0.1', '-p', String(redisPort), 'ping']);
		const redisServer = await serve(
			redis,
			// As in deploy/compose.yml: jobs outlive a restart of Redis.
			[...['--bind', '127.0.0.1', '--port', String(redisPort)], ...['--appendonly', 'yes']],
			{ folder: redisFolder, stopBy: 'SIGTERM' },
			async () => await answers(ping()),
		);
		closing.push(redisServer.stop);

		const account = await postgresAccount();
		const postgresPort = await freePort();
		const folder = await keepIn('postgres', account);
		const data = join(folder, 'data');
		await initialize(initdb, data, account);
		const sql = async (database: string, text: string) => {
			const to = ['-h', '127.0.0.1', '-p', String(postgresPort), '-U', DATABASE, '-d', database];
			return await run(psql, [...to, '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-c', text]);
		};
		const settings = [
			'listen_addresses=127.0.0.1',
			`port=${postgresPort}`,
			`unix_socket_directories=${folder}`,
		];
		const postgresServer = await serve(
			postgres,
			['-D', data, ...settings.flatMap((each) => ['-c', each])],
			// Its "fast shutdown": it does not wait for whoever is connected.
			{ folder, stopBy: 'SIGINT', ...(account ? { account } : {}) },
			async () => await answers(sql('postgres', 'select 1')),
		);
		closing.push(postgresServer.stop);
		await sql('postgres', `create database ${DATABASE}`);
		return {
			redisPort,
			postgresPort,
			query: async <Row>(text: string) => {
				const rows = await sql(DATABASE, `select coalesce(json_agg(r), '[]') from (${text}) r`);
				return JSON.parse(rows) as Row[];
			},
			command: async (text) => void (await sql(DATABASE, text)),
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}
