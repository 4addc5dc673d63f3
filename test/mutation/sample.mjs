import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/**
 * Whether a change is in the share that is tried: the same ones each time, wherever the file stands.
 * `start` counts lines and columns from 0, as Stryker's runners do; its reports count them from 1.
 */
export function isInSample({ fileName, mutatorName, replacement, start: { line, column } }) {
	const named = [basename(fileName), mutatorName, replacement, { line, column }];
	const digest = createHash('sha256')
		.update(named.map((part) => JSON.stringify(part)).join())
		.digest();
	return digest.readUInt32BE() / 2 ** 32 < Number(process.env.MUTATION_SAMPLE ?? 1);
}
