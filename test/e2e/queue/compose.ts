import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** The environment that deploy/compose.yml gives every n8n, so that the tests run what is deployed. */

const DEPLOY = resolve(__dirname, '../../../deploy');

/** `secrets` replace `${NAME:?message}`; `${NAME:-default}` becomes its default. */
export async function composeEnvironment(
	secrets: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
	const filled = (text: string) =>
		text.replace(/\$\{(\w+):(?:-([^}]*)|[^}]*)\}/, (_, name, rest) => rest ?? secrets[name]);
	const compose = await readFile(join(DEPLOY, 'compose.yml'), 'utf8');
	const [, block = ''] = /^ {2}environment: &environment\n((?: {4}.*\n)+)/m.exec(compose) ?? [];
	const settings = [...block.matchAll(/^ {4}([A-Z_0-9]+): '?(.*?)'?$/gm)];
	if (settings.length === 0) throw new Error('deploy/compose.yml has no shared environment');
	return Object.fromEntries(settings.map(([, name = '', value = '']) => [name, filled(value)]));
}
