import { createReadStream, statSync } from 'node:fs';
import { text } from 'node:stream/consumers';

/**
 * Reads a log while it is being written, such as n8n's: calls `onLine` with each line that is added,
 * until the function that it returns is called.
 */
export function follow(file: string, onLine: (line: string) => void): () => void {
	let start = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
	let begun = '';
	const timer = setInterval(() => {
		const end = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) - 1;
		if (end < start) return;
		void text(createReadStream(file, { start, end })).then((added) => {
			const lines = (begun + added).split('\n');
			begun = lines.pop() ?? '';
			lines.forEach(onLine);
		});
		start = end + 1;
	}, 250);
	return () => clearInterval(timer);
}
