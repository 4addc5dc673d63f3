import { dirname, relative, resolve } from 'node:path';

import { filesIn, read, root } from './files';

/** Checks the imports of each folder against the table in CONTRIBUTING.md. */

const NODES = 'nodes/PaymentsGateway';
const own = /^(?:nodes|credentials|test)\//;

interface Import {
	to: string;
	isType: boolean;
}

function importsOf(file: string): Import[] {
	const found = read(file).matchAll(/^(?:import|export)\s+(type\s+)?[^;]*?from\s+'([^']+)';/gm);
	return [...found].map(([, type, name = '']) => ({
		to: name.startsWith('.') ? relative(root, resolve(root, dirname(file), name)) : name,
		isType: type !== undefined,
	}));
}

/** The row of the table for a file. */
function folderOf(path: string): string {
	if (path.startsWith('credentials/')) return 'credentials';
	if (path.startsWith('test/sandbox')) return 'test/sandbox';
	if (!path.startsWith(`${NODES}/`)) return path;
	const rest = path.slice(NODES.length + 1);
	if (/\.node(\.ts)?$/.test(rest)) return '*.node.ts';
	return rest.split('/')[0] ?? rest;
}

const [, table = ''] =
	/^\| folder +\| may import +\|\n\|[ |-]+\n((?:\|.*\n)+)/m.exec(read('CONTRIBUTING.md')) ?? [];
/** What each folder may import, by that table. Text in brackets or after ";" is a reason. */
const allowedImports = new Map(
	[...table.matchAll(/^\| `?([^`|]+?)`? +\| (.+?) +\|$/gm)].map(([, folder = '', words = '']) => [
		folder,
		words
			.replace(/\(.*?\)|;.*/g, '')
			.split(',')
			.map((word) => word.trim()),
	]),
);

function isAllowed(folder: string, { to, isType }: Import): boolean {
	if (!own.test(to)) {
		return (folder === 'test/sandbox' ? /^node:/ : /^(n8n-workflow|crypto)$/).test(to);
	}
	const target = folderOf(to);
	const allowed = allowedImports.get(folder) ?? [];
	return (
		target === folder ||
		allowed.includes(target) ||
		(isType && allowed.includes(`${target} as types`))
	);
}

const all = [NODES, 'credentials', 'test/sandbox']
	.flatMap((folder) => filesIn(folder, '.ts'))
	.filter((file) => !file.endsWith('.test.ts'));
const sourcesMatching = (words: RegExp) =>
	filesIn(NODES, '.ts').filter((file) => words.test(read(file)));

test('every folder has a row in the table, and every row a folder', () => {
	expect(new Set(all.map(folderOf))).toEqual(new Set(allowedImports.keys()));
});

test('a file imports only what its folder may', () => {
	const forbidden = all.flatMap((file) =>
		importsOf(file)
			.filter((each) => !isAllowed(folderOf(file), each))
			.map(({ to }) => `${file} imports ${to}`),
	);
	expect(forbidden).toEqual([]);
});

test('one file calls the request helper, and none but the credential names a token', () => {
	expect(sourcesMatching(/httpRequest/)).toEqual([`${NODES}/gateway/request.ts`]);
	expect(sourcesMatching(/headerToken|privateToken/)).toEqual([]);
});
