import { execFile, type ExecFileOptions } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { spawnWatched } from './watchedProcess';

/**
 * Installs the pinned n8n into a folder, once, with a Node that is new enough for it; or finds an
 * installed n8n of another version.
 */

/** An installed n8n, and the Node that it runs on. */
export interface Provisioned {
	node: string;
	/** n8n's script, to be run by `node`. */
	n8n: string;
	version: string;
	/** PATH with that Node first, for the processes that n8n starts. */
	path: string;
}

const PINNED = join(__dirname, 'n8n');
const MIN_NODE = 24;

/** Runs a command and returns its output. */
export async function run(
	command: string,
	args: readonly string[],
	options: Pick<ExecFileOptions, 'cwd' | 'env' | 'uid' | 'gid'> = {},
): Promise<string> {
	const { stdout } = await promisify(execFile)(command, args, { ...options, maxBuffer: 2 ** 26 });
	return stdout;
}

function provisionedIn(folder: string, node: string, version: string): Provisioned {
	const path = [dirname(node), process.env.PATH].join(delimiter);
	return { node, n8n: join(folder, 'node_modules/n8n/bin/n8n'), version, path };
}

/** The path of the Node that npm installs as a package. */
function packagedNode(folder: string): string {
	const isWindows = process.platform === 'win32';
	const platform = isWindows ? 'win' : process.platform;
	const program = isWindows ? 'node.exe' : 'node';
	return join(folder, 'node_modules', `node-${platform}-${process.arch}`, 'bin', program);
}

/** The running Node if it is new enough, or else the one installed with n8n. */
function nodeFor(folder: string): string {
	if (Number(process.versions.node.split('.')[0]) >= MIN_NODE) return process.execPath;
	if (['linux', 'win32'].includes(process.platform)) return packagedNode(folder);
	throw new Error(
		`n8n needs Node ${MIN_NODE} or later and this is ${process.version}. Install a newer Node and run this with it.`,
	);
}

/** Identifies an installation: its lock file, and the Node that its native module was built for. */
export async function stampFor(node: string): Promise<string> {
	const lock = await readFile(join(PINNED, 'package-lock.json'), 'utf8');
	const abi = (await run(node, ['-p', 'process.versions.modules'])).trim();
	return createHash('sha256')
		.update(lock + abi)
		.digest('hex');
}

/** Installs the n8n of ./n8n, in the versions of its lock file, unless the folder has it already. */
export async function provision(folder: string, log: (line: string) => void): Promise<Provisioned> {
	const { dependencies } = JSON.parse(await readFile(join(PINNED, 'package.json'), 'utf8'));
	const version = String(dependencies.n8n);
	const node = nodeFor(folder);
	const provisioned = provisionedIn(folder, node, version);

	const stampFile = join(folder, 'installed');
	const installed = await readFile(stampFile, 'utf8').catch(() => '');
	// That Node may not be installed yet.
	if (installed !== '' && installed === (await stampFor(node).catch(() => undefined))) {
		log(`Using n8n ${version} in ${folder}`);
		return provisioned;
	}

	await mkdir(folder, { recursive: true });
	await rm(stampFile, { force: true });
	for (const file of ['package.json', 'package-lock.json']) {
		await copyFile(join(PINNED, file), join(folder, file));
	}
	const npm = async (message: string, ...args: string[]) => {
		log(message);
		const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
		const env = { ...process.env, PATH: provisioned.path };
		const child = spawnWatched('npm', [...args, ...quiet], { cwd: folder, env, output: 'inherit' });
		const [code] = await once(child, 'exit');
		if (code !== 0) throw new Error(`npm ${args.join(' ')} stopped with exit code ${code}`);
	};
	const install = `Only the first time, step 1 of 2: installing n8n ${version} into ${folder}`;
	await npm(`${install} (2.9 GB, usually 3 to 5 minutes)`, 'ci', '--ignore-scripts');
	const build = "Step 2 of 2: building n8n's database driver (usually 1 to 2 minutes)";
	await npm(build, 'rebuild', 'sqlite3', '--ignore-scripts=false');
	await writeFile(stampFile, await stampFor(node));
	log(`n8n ${version} is ready`);
	return provisioned;
}

/** Another n8n that npm has installed, on the Node beside it, or else on the running one. */
export async function findInstalled(folder: string): Promise<Provisioned> {
	const manifest = join(folder, 'node_modules/n8n/package.json');
	const { version } = JSON.parse(await readFile(manifest, 'utf8'));
	const packaged = packagedNode(folder);
	return provisionedIn(folder, existsSync(packaged) ? packaged : process.execPath, String(version));
}
