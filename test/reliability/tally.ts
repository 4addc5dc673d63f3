import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Saves the counts of a storm test for docs/reliability.md, if TALLY_FOLDER names a folder: in one file
 * for each kind and process, so that jest's workers do not overwrite each other. `report.ts` adds them
 * up.
 */
export function tally(kind: string, counts: Readonly<Record<string, number>>): void {
	const folder = process.env.TALLY_FOLDER;
	if (!folder) return;
	mkdirSync(folder, { recursive: true });
	appendFileSync(join(folder, `${kind}.${process.pid}.jsonl`), `${JSON.stringify(counts)}\n`);
}
