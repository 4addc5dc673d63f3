import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Starts a child in its own process group and stops it. It never outlives this process. Ctrl-C
 * reaches only this process, which then stops the child.
 */

interface WatchedOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
	/** Where its output goes. A file, because a pipe blocks once its reader is gone. */
	output: { file: string } | 'inherit';
}

export function spawnWatched(
	command: string,
	args: readonly string[],
	{ output, ...options }: WatchedOptions,
): ChildProcess {
	const to = output === 'inherit' ? output : openSync(output.file, 'a');
	const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', to, to] });
	if (to !== 'inherit') closeSync(to);
	const watchdog = spawn(process.execPath, [join(__dirname, 'watchdog.mjs'), String(child.pid)], {
		detached: true,
		stdio: ['pipe', 'ignore', 'ignore'],
	});
	child.once('exit', () => watchdog.kill('SIGKILL'));
	return child;
}

export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
	return exitCode !== null || signalCode !== null;
}

/** Signals the child and everything that it has started. */
function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
	if (child.pid === undefined) return;
	try {
		process.kill(-child.pid, name);
	} catch {
		// It has already ended.
	}
}

const STOPPED_WITHIN = 30_000;

/** Asks the process to end, and kills it if it takes too long. */
export async function stop(child: ChildProcess): Promise<void> {
	if (hasEnded(child)) return;
	const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), STOPPED_WITHIN);
	child.kill();
	await once(child, 'exit');
	clearTimeout(timer);
	// Its own children may have outlived it.
	signalGroup(child, 'SIGKILL');
}

export async function kill(child: ChildProcess): Promise<void> {
	if (hasEnded(child)) return;
	signalGroup(child, 'SIGKILL');
	await once(child, 'exit');
}
