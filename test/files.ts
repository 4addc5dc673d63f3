import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Files of this repository, for tests that check the repository itself. Paths are from its root. */

export const root = resolve(__dirname, '..');

export function read(file: string): string {
	return readFileSync(join(root, file), 'utf8');
}

/** None if there is no such folder. */
export function filesIn(folder: string, ending: string): string[] {
	if (!existsSync(join(root, folder))) return [];
	return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith(ending))
		.map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}
