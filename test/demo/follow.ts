import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';

const EVERY = 250;

function sizeOf(file: string): number {
	return existsSync(file) ? statSync(file).size : 0;
}

/** Hands over each line that is added to a file from now on; answers how to end that. */
export function follow(file: string, onLine: (line: string) => void): () => void {
	let position = sizeOf(file);
	let begun = '';
	const timer = setInterval(() => {
		const added = Buffer.alloc(Math.max(0, sizeOf(file) - position));
		if (added.length === 0) return;
		const opened = openSync(file, 'r');
		position += readSync(opened, added, 0, added.length, position);
		closeSync(opened);
		const lines = (begun + added.toString()).split('\n');
		begun = lines.pop() ?? '';
		lines.forEach(onLine);
	}, EVERY);
	return () => clearInterval(timer);
}
