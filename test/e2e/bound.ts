import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Starts a process that cannot outlive this one, however this one ends, and ends it. It leads a
 * process group of its own, so that Ctrl-C in the terminal reaches it only by way of whoever
 * started it.
 */

interface BoundOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
	/** Where its words go. A file and not a pipe: nobody may be left to read a pipe. */
	output: { file: string } | 'inherit';
}

export function spawnBound(
	command: string,
	args: readonly string[],
	{ output, ...options }: BoundOptions,
): ChildProcess {
	const to = output === 'inherit' ? output : openSync(output.file, 'a');
	const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', to, to] });
	if (to !== 'inherit') closeSync(to);
	const watcher = spawn(
		process.execPath,
		[join(__dirname, 'endWithParent.mjs'), String(child.pid)],
		{ detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
	);
	child.once('exit', () => watcher.kill('SIGKILL'));
	return child;
}

export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
	return exitCode !== null || signalCode !== null;
}

/** To the process and all that it has started itself. */
function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
	if (child.pid === undefined) return;
	try {
		process.kill(-child.pid, name);
	} catch {
		// It has ended in the meantime.
	}
}

const STOPPED_WITHIN = 30_000;

/** Asks the process to end, and kills it if it takes too long. */
export async function stop(child: ChildProcess): Promise<void> {
	if (hasEnded(child)) return;
	const late = setTimeout(() => signalGroup(child, 'SIGKILL'), STOPPED_WITHIN);
	child.kill();
	await once(child, 'exit');
	clearTimeout(late);
	// What it has started may have outlived it.
	signalGroup(child, 'SIGKILL');
}

export async function kill(child: ChildProcess): Promise<void> {
	if (hasEnded(child)) return;
	signalGroup(child, 'SIGKILL');
	await once(child, 'exit');
}
