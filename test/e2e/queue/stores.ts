import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { hasEnded, kill, spawnWatched } from '../watchedProcess';
import { freePort } from '../instance';
import { run } from '../provision';
import { until } from '../until';

/** A Redis and a PostgreSQL for one test run, on this machine, in a temporary folder. */

export interface Stores {
	readonly redisPort: number;
	readonly postgresPort: number;
	/** The rows of an SQL query. */
	query<Row>(text: string): Promise<Row[]>;
	close(): Promise<void>;
}

const DATABASE = 'n8n';
const STARTED_WITHIN = 30_000;

/** Debian does not put PostgreSQL's own programs into the PATH. */
function environment(): NodeJS.ProcessEnv {
	const debian = '/usr/lib/postgresql';
	const versions = existsSync(debian) ? readdirSync(debian) : [];
	const programs = versions.map((version) => join(debian, version, 'bin'));
	return { ...process.env, PATH: [process.env.PATH, ...programs].join(delimiter) };
}

/** PostgreSQL does not run as root; Debian's package adds an account for it. */
async function account(): Promise<{ uid?: number; gid?: number }> {
	if (process.getuid?.() !== 0) return {};
	const [uid, gid] = [await run('id', ['-u', 'postgres']), await run('id', ['-g', 'postgres'])];
	return { uid: Number(uid), gid: Number(gid) };
}

export async function startStores(): Promise<Stores> {
	const env = environment();
	const folder = await mkdtemp(join(tmpdir(), 'n8n-stores-'));
	const owner = await account();
	await chown(folder, owner.uid ?? -1, owner.gid ?? -1);
	const servers: ChildProcess[] = [];
	const close = async () => {
		// Killed rather than stopped: their data is deleted anyway.
		for (const child of servers) await kill(child);
		await rm(folder, { recursive: true, force: true });
	};
	/** Starts a server and waits until `ping` succeeds. */
	const startServer = async (
		[program = '', ...args]: readonly string[],
		ping: () => Promise<string>,
	) => {
		const file = join(folder, `${program}.log`);
		const child = spawnWatched(program, args, { cwd: folder, env, output: { file }, ...owner });
		servers.push(child);
		const pong = async () => {
			if (hasEnded(child)) throw new Error(await readFile(file, 'utf8'));
			return await ping().catch(() => undefined);
		};
		await until(program, pong, { within: STARTED_WITHIN });
	};
	try {
		const redisPort = await freePort();
		const redis = ['redis-server', '--bind', '127.0.0.1', '--port', String(redisPort)];
		const ping = ['-h', '127.0.0.1', '-p', String(redisPort), 'ping'];
		// As in deploy/compose.yml: jobs outlive a restart of Redis.
		await startServer(
			[...redis, '--appendonly', 'yes'],
			async () => await run('redis-cli', ping, { env }),
		);

		const postgresPort = await freePort();
		const data = join(folder, 'data');
		const initArgs = ['-D', data, '-U', DATABASE, '-A', 'trust', '-E', 'UTF8', '--no-locale'];
		await run('initdb', initArgs, { cwd: folder, env, ...owner });
		const address = ['-h', '127.0.0.1', '-p', String(postgresPort), '-k', folder];
		const sql = async (text: string, database = DATABASE) => {
			const to = ['-h', '127.0.0.1', '-p', String(postgresPort), '-U', DATABASE, '-d', database];
			const bareOutput = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'];
			return await run('psql', [...to, ...bareOutput, '-c', text], { env });
		};
		await startServer(
			['postgres', '-D', data, ...address],
			async () => await sql('select 1', 'postgres'),
		);
		await sql(`create database ${DATABASE}`, 'postgres');
		return {
			redisPort,
			postgresPort,
			query: async (text) =>
				JSON.parse(await sql(`select coalesce(json_agg(r), '[]') from (${text}) r`)),
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}
