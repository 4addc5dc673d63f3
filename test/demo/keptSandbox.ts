import { renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

import type { Sandbox, Snapshot } from '../sandbox';

/** Keeps the sandbox's state in a file, from one `npm start` to the next. */

const SAVED_EVERY = 2_000;

/** Undefined before the first start. */
export async function loadSnapshot(file: string): Promise<Snapshot | undefined> {
	const text = await readFile(file, 'utf8').catch(() => undefined);
	return text === undefined ? undefined : JSON.parse(text);
}

/** Saves every two seconds, so that a kill loses no more. The returned function saves and stops. */
export function saveSnapshots(sandbox: Sandbox, file: string): () => Promise<void> {
	let saved = '';
	const save = () => {
		const text = JSON.stringify(sandbox.snapshot());
		if (text === saved) return;
		// If this process is killed meanwhile, the old file stays intact.
		writeFileSync(`${file}.new`, text);
		renameSync(`${file}.new`, file);
		saved = text;
	};
	const timer = setInterval(save, SAVED_EVERY);
	return async () => {
		clearInterval(timer);
		save();
	};
}
