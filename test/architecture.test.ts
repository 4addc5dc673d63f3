import { dirname, relative, resolve } from 'node:path';

import { read, root, sourcesIn } from './files';

/** Holds the imports of each folder against the table in CONTRIBUTING.md. */

const house = 'nodes/PaymentsGateway';
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

/** The row of the table that a file belongs to. */
function roomOf(path: string): string {
	if (path.startsWith('credentials/')) return 'credentials';
	if (path.startsWith('test/sandbox')) return 'test/sandbox';
	if (!path.startsWith(`${house}/`)) return path;
	const rest = path.slice(house.length + 1);
	if (/\.node(\.ts)?$/.test(rest)) return '*.node.ts';
	return rest.split('/')[0] ?? rest;
}

const [, table = ''] =
	/^\| folder +\| may import +\|\n\|[ |-]+\n((?:\|.*\n)+)/m.exec(read('CONTRIBUTING.md')) ?? [];
/** What each folder may import, by that table. What it says in brackets or after ";" is a reason. */
const may = new Map(
	[...table.matchAll(/^\| `?([^`|]+?)`? +\| (.+?) +\|$/gm)].map(([, folder = '', words = '']) => [
		folder,
		words
			.replace(/\(.*?\)|;.*/g, '')
			.split(',')
			.map((word) => word.trim()),
	]),
);

function isAllowed(room: string, { to, isType }: Import): boolean {
	if (!own.test(to))
		return (room === 'test/sandbox' ? /^node:/ : /^(n8n-workflow|crypto)$/).test(to);
	const target = roomOf(to);
	const allowed = may.get(room) ?? [];
	return (
		target === room ||
		allowed.includes(target) ||
		(isType && allowed.includes(`${target} as types`))
	);
}

const all = sourcesIn(house, 'credentials', 'test/sandbox').filter(
	(file) => !file.endsWith('.test.ts'),
);
const having = (words: RegExp) => sourcesIn(house).filter((file) => words.test(read(file)));

test('every folder has a row in the table, and every row a folder', () => {
	expect(new Set(all.map(roomOf))).toEqual(new Set(may.keys()));
});

test('a file imports only what its folder may', () => {
	const forbidden = all.flatMap((file) =>
		importsOf(file)
			.filter((each) => !isAllowed(roomOf(file), each))
			.map(({ to }) => `${file} imports ${to}`),
	);
	expect(forbidden).toEqual([]);
});

test('one file calls the request helper, and none but the credential names a token', () => {
	expect(having(/httpRequest/)).toEqual([`${house}/gateway/request.ts`]);
	expect(having(/headerToken|privateToken/)).toEqual([]);
});
