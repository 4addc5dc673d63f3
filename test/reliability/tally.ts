import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes down what a hostile test has counted, for docs/reliability.md, if TALLY_FOLDER names a
 * folder: into one file for each kind and process, so that jest's workers do not write over each
 * other. `report.ts` says what each count means.
 */
export function tally(kind: string, counts: Readonly<Record<string, number>>): void {
	const folder = process.env.TALLY_FOLDER;
	if (!folder) return;
	mkdirSync(folder, { recursive: true });
	appendFileSync(join(folder, `${kind}.${process.pid}.jsonl`), `${JSON.stringify(counts)}\n`);
}
