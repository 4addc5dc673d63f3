import { fork } from 'node:child_process';
import { join } from 'node:path';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** Measures the memory that a task needs, in a process of its own (`memoryProcess.ts`). */

export interface MemoryJob {
	directory: string;
	credentials: ICredentialDataDecryptedObject;
	task: 'list' | 'drain';
	events: number;
	/** Collects garbage before each measurement, so that only what is still used counts. */
	isLive: boolean;
}

/** Bytes beyond what was there before. */
export interface Memory {
	/** The most seen of heap and external memory. */
	peak: number;
	/** What is still in use at the end, after garbage was collected. */
	kept: number;
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
