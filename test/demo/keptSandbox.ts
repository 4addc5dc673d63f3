import { renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

import type { Sandbox, Snapshot } from '../sandbox';

/** Keeps what the sandbox holds in a file, from one `npm start` to the next. */

const SAVED_EVERY = 2_000;

/** Nothing before the first start. */
export async function keptSandbox(file: string): Promise<Snapshot | undefined> {
	const text = await readFile(file, 'utf8').catch(() => undefined);
	return text === undefined ? undefined : JSON.parse(text);
}

/** Saves each change, so that even a kill loses two seconds only. The result saves the last one. */
export function keepSandbox(sandbox: Sandbox, file: string): () => Promise<void> {
	let saved = '';
	const save = () => {
		const text = JSON.stringify(sandbox.snapshot());
		if (text === saved) return;
		// A kill in between leaves the old file whole.
		writeFileSync(`${file}.new`, text);
		renameSync(`${file}.new`, file);
		saved = text;
	};
	const timer = setInterval(save, SAVED_EVERY);
	return async () => {
		clearInterval(timer);
		await Promise.resolve(save());
	};
}
