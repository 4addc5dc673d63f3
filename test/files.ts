import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The files of this repository, for the tests that check the house itself. Paths are from its root. */

export const root = resolve(__dirname, '..');

export function read(file: string): string {
	return readFileSync(join(root, file), 'utf8');
}

export function sourcesIn(...folders: string[]): string[] {
	return folders.flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.ts'))
			.map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
	);
}
