import { fork } from 'node:child_process';
import { join } from 'node:path';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

export interface MemoryJob {
	directory: string;
	credentials: ICredentialDataDecryptedObject;
	task: 'list' | 'drain';
	events: number;
	/** Collect what is dead before each look, so that only what is held counts. */
	isLive: boolean;
}

/** Bytes beyond what was there before. */
export interface Memory {
	/** The most seen of heap and external memory. */
	peak: number;
	/** The most of each poll, and of these the median: a long drain is looked at more often. */
	typical: number;
	/** What the results hold once all else is collected. */
	kept: number;
	/** How far the process as a whole has grown at its largest. */
	resident: number;
	/** The results as JSON. */
	json: number;
}

/** Runs a task in a process of its own. `prepare` runs once the process stands ready. */
export async function measureMemory(
	job: MemoryJob,
	prepare: () => Promise<unknown> = async () => undefined,
): Promise<Memory> {
	const execArgv = [...process.execArgv, '--expose-gc', '--max-old-space-size=6144'];
	const child = fork(join(__dirname, 'memoryProcess.ts'), { execArgv });
	try {
		return await new Promise<Memory>((resolve, reject) => {
			child.on('exit', (code) => reject(new Error(`The measured process ended with ${code}`)));
			child.on('message', (said: { ready: true } | { error: string } | Memory) => {
				if ('ready' in said) prepare().then(() => child.send({ go: true }), reject);
				else if ('error' in said) reject(new Error(said.error));
				else resolve(said);
			});
			child.send(job);
		});
	} finally {
		child.kill();
	}
}
