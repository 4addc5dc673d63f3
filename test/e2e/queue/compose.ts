import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** What deploy/compose.yml tells every n8n, so that what is tested is what is deployed. */

const DEPLOY = resolve(__dirname, '../../../deploy');

/** `${NAME}`, `${NAME:-default}` and `${NAME:?complaint}`, as Compose fills them in. */
function filledIn(text: string, values: Readonly<Record<string, string>>): string {
	const pattern = /\$\{(\w+)(?::([-?])([^}]*))?\}/g;
	return text.replace(pattern, (_, name: string, sign?: string, rest = '') => {
		const value = values[name];
		if (value) return value;
		if (sign === '-') return rest;
		throw new Error(`deploy/compose.yml needs ${name}: ${rest || 'it has no default'}`);
	});
}

export async function composed(
	values: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
	const compose = await readFile(join(DEPLOY, 'compose.yml'), 'utf8');
	const [, block = ''] = /^ {2}environment: &environment\n((?: {4}.*\n)+)/m.exec(compose) ?? [];
	const settings = [...block.matchAll(/^ {4}([A-Z_0-9]+): '?(.*?)'?$/gm)];
	if (settings.length === 0) throw new Error('deploy/compose.yml has no shared environment');
	return Object.fromEntries(
		settings.map(([, name = '', value = '']) => [name, filledIn(value, values)]),
	);
}
