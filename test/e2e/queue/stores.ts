import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { hasEnded, kill, spawnWatched } from '../watchedProcess';
import { freePort } from '../instance';
import { run } from '../provision';
import { until } from '../until';

/** A Redis and a PostgreSQL for one test run, on this machine alone, in a temporary folder. */

export interface Stores {
	readonly redisPort: number;
	readonly postgresPort: number;
	/** The rows that an SQL query answers. */
	query<Row>(text: string): Promise<Row[]>;
	close(): Promise<void>;
}

const DATABASE = 'n8n';
const STARTED_WITHIN = 30_000;

/** Debian does not put PostgreSQL's own programs into the PATH; other systems do. */
function environment(): NodeJS.ProcessEnv {
	const debian = '/usr/lib/postgresql';
	const versions = existsSync(debian) ? readdirSync(debian) : [];
	const programs = versions.map((version) => join(debian, version, 'bin'));
	return { ...process.env, PATH: [process.env.PATH, ...programs].join(delimiter) };
}

/** PostgreSQL does not run as root; Debian brings an account along. */
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
		// Nobody needs what they keep.
		for (const child of servers) await kill(child);
		await rm(folder, { recursive: true, force: true });
	};
	/** Starts a server and asks it something until it answers. */
	const serve = async ([program = '', ...args]: readonly string[], ask: () => Promise<string>) => {
		const file = join(folder, `${program}.log`);
		const child = spawnWatched(program, args, { cwd: folder, env, output: { file }, ...owner });
		servers.push(child);
		const answer = async () => {
			if (hasEnded(child)) throw new Error(await readFile(file, 'utf8'));
			return await ask().catch(() => undefined);
		};
		await until(program, answer, { within: STARTED_WITHIN });
	};
	try {
		const redisPort = await freePort();
		const redis = ['redis-server', '--bind', '127.0.0.1', '--port', String(redisPort)];
		const ping = ['-h', '127.0.0.1', '-p', String(redisPort), 'ping'];
		const pinged = async () => await run('redis-cli', ping, { env });
		// As in deploy/compose.yml: jobs outlive a restart of Redis.
		await serve([...redis, '--appendonly', 'yes'], pinged);

		const postgresPort = await freePort();
		const data = join(folder, 'data');
		const made = ['-D', data, '-U', DATABASE, '-A', 'trust', '-E', 'UTF8', '--no-locale'];
		await run('initdb', made, { cwd: folder, env, ...owner });
		const address = ['-h', '127.0.0.1', '-p', String(postgresPort), '-k', folder];
		const sql = async (text: string, database = DATABASE) => {
			const to = ['-h', '127.0.0.1', '-p', String(postgresPort), '-U', DATABASE, '-d', database];
			const plainly = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'];
			return await run('psql', [...to, ...plainly, '-c', text], { env });
		};
		const selected = async () => await sql('select 1', 'postgres');
		await serve(['postgres', '-D', data, ...address], selected);
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
