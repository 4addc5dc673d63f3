import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { filesIn, root } from './files';

/**
 * Unit tests import the sources, tests of the nodes run what was built in dist. So that the two are the
 * same code, jest refuses to begin with a dist that is older than a source, or that holds a file whose
 * source is gone.
 */

const FOLDERS = ['credentials', 'nodes'];
const builtFrom = (source: string) => `dist/${source.replace(/\.ts$/, '.js')}`;

function isStale(source: string): boolean {
	const built = join(root, builtFrom(source));
	return !existsSync(built) || statSync(built).mtimeMs < statSync(join(root, source)).mtimeMs;
}

export default function requireFreshBuild(): void {
	const sources = FOLDERS.flatMap((folder) => filesIn(folder, '.ts'));
	const expected = new Set(sources.map(builtFrom));
	const built = FOLDERS.flatMap((folder) => filesIn(`dist/${folder}`, '.js'));
	const wrong = [...sources.filter(isStale), ...built.filter((file) => !expected.has(file))];
	if (wrong.length === 0) return;
	throw new Error(`dist is not built from the sources (${wrong[0]}): run npm run build`);
}
