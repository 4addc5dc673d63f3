import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Unit tests import the sources, tests of the nodes run what was built in dist. So that the two are the
 * same code, jest refuses to begin with a dist that is older than a source, or that holds a file whose
 * source is gone.
 */

const root = resolve(__dirname, '..');

/** The files of a folder of the project, by their paths in it. */
function filesIn(folder: string, ending: string): string[] {
	if (!existsSync(join(root, folder))) return [];
	return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith(ending))
		.map((name) => join(folder, name));
}

const FOLDERS = ['credentials', 'nodes'];
const builtFrom = (source: string) => join('dist', source.replace(/\.ts$/, '.js'));

function isStale(source: string): boolean {
	const built = join(root, builtFrom(source));
	return !existsSync(built) || statSync(built).mtimeMs < statSync(join(root, source)).mtimeMs;
}

export default function requireFreshBuild(): void {
	const sources = FOLDERS.flatMap((folder) => filesIn(folder, '.ts'));
	const expected = new Set(sources.map(builtFrom));
	const left = FOLDERS.flatMap((folder) => filesIn(join('dist', folder), '.js'));
	const wrong = [...sources.filter(isStale), ...left.filter((built) => !expected.has(built))];
	if (wrong.length === 0) return;
	throw new Error(`dist is not built from the sources (${wrong[0]}): run npm run build`);
}
