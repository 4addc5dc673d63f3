import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** Holds the imports of each folder against the table in CONTRIBUTING.md. */

const root = resolve(__dirname, '..');
const house = 'nodes/PaymentsGateway';

function files(folder: string): string[] {
	return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.map((name) => join(folder, name).split(sep).join('/'));
}

interface Import {
	from: string;
	to: string;
	isType: boolean;
}

function importsOf(file: string): Import[] {
	const source = readFileSync(join(root, file), 'utf8');
	const found = source.matchAll(/^(?:import|export)\s+(type\s+)?[^;]*?from\s+'([^']+)';/gm);
	return [...found].map(([, type, name = '']) => ({
		from: file,
		to: name.startsWith('.') ? relative(root, resolve(root, dirname(file), name)) : name,
		isType: type !== undefined,
	}));
}

/** The row of the table that a file belongs to. */
function roomOf(path: string): string {
	if (path.startsWith('credentials/')) return 'credentials';
	if (path.startsWith('test/sandbox')) return 'test/sandbox';
	if (!path.startsWith(`${house}/`)) return path;
	const rest = path.slice(house.length + 1).replace(/^bundle\.ts$/, 'bundle');
	if (/\.node(\.ts)?$/.test(rest)) return '*.node.ts';
	return rest.split('/')[0] ?? rest;
}

const [, table = ''] =
	/^\| folder +\| may import +\|\n\|[ |-]+\n((?:\|.*\n)+)/m.exec(
		readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'),
	) ?? [];
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

const BUILT_IN: Record<string, RegExp> = {
	'test/sandbox': /^node:/,
};

const all = [...files(house), ...files('credentials'), ...files('test/sandbox')].filter(
	(file) => !file.endsWith('.test.ts'),
);

test('every folder has a row in the table, and every row a folder', () => {
	expect(new Set(all.map(roomOf))).toEqual(new Set(may.keys()));
});

test.each(all)('%s imports only what its folder may', (file) => {
	const room = roomOf(file);
	for (const { to, isType } of importsOf(file)) {
		const isOutside = !to.startsWith('nodes/') && !/^(credentials|test)\//.test(to);
		if (isOutside) {
			expect(to).toMatch(BUILT_IN[room] ?? /^(n8n-workflow|crypto)$/);
			continue;
		}
		const target = roomOf(to);
		if (target === room) continue;
		const allowed = may.get(room) ?? [];
		const isAllowed =
			allowed.includes(target) || (isType && allowed.includes(`${target} as types`));
		expect({ file, imports: to, isAllowed }).toEqual({ file, imports: to, isAllowed: true });
	}
});

test('one file calls the request helper', () => {
	const callers = files(house).filter((file) =>
		/httpRequest/.test(readFileSync(join(root, file), 'utf8')),
	);
	expect(callers).toEqual([`${house}/gateway/request.ts`]);
});

test('tokens are named in one file, the credential', () => {
	const named = files(house).filter((file) =>
		/headerToken|privateToken/.test(readFileSync(join(root, file), 'utf8')),
	);
	expect(named).toEqual([]);
});

test('what a user installs depends on nothing at run time', () => {
	const manifest: { dependencies?: object; peerDependencies: object } = JSON.parse(
		readFileSync(join(root, 'package.json'), 'utf8'),
	);
	expect(manifest.dependencies).toBeUndefined();
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
});
