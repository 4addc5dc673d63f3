import { closeSync, openSync, readSync, statSync } from 'node:fs';

/**
 * Reads a log while it is being written, such as n8n's: calls `onLine` with each line that is added,
 * until the function that it returns is called.
 */
export function follow(file: string, onLine: (line: string) => void): () => void {
	const sizeNow = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
	let position = sizeNow();
	let begun = '';
	const timer = setInterval(() => {
		const added = Buffer.alloc(Math.max(0, sizeNow() - position));
		if (added.length === 0) return;
		const opened = openSync(file, 'r');
		position += readSync(opened, added, 0, added.length, position);
		closeSync(opened);
		const lines = (begun + added.toString()).split('\n');
		begun = lines.pop() ?? '';
		lines.forEach(onLine);
	}, 250);
	return () => clearInterval(timer);
}
