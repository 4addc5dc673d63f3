import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { join } from 'node:path';

/**
 * Starts a process that cannot outlive this one, however this one ends. It leads a process group of
 * its own, so that Ctrl-C in the terminal reaches it only by way of whoever started it.
 */
export function spawnBound(
	command: string,
	args: readonly string[],
	{
		output,
		...options
	}: Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> & { output: number | 'inherit' },
): ChildProcess {
	const stdio = ['ignore' as const, output, output];
	const child = spawn(command, args, { ...options, detached: true, stdio });
	const watcher = spawn(
		process.execPath,
		[join(__dirname, 'endWithParent.mjs'), String(child.pid)],
		{ detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
	);
	child.once('exit', () => watcher.kill('SIGKILL'));
	return child;
}

/** To the process and all that it has started itself. */
export function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
	if (child.pid === undefined) return;
	try {
		process.kill(-child.pid, name);
	} catch {
		// It has ended in the meantime.
	}
}
