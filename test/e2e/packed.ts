import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { run } from './provision';

/**
 * The package under test as a user gets it: packed as it would be published, and installed where
 * n8n's installer of community nodes puts it.
 */

const ROOT = resolve(__dirname, '../..');

/** Packs the last build. Returns the tarball's path. */
export async function pack(into: string): Promise<string> {
	await mkdir(into, { recursive: true });
	const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', into];
	const [{ filename }] = JSON.parse(await run('npm', args, { cwd: ROOT }));
	return join(into, String(filename));
}

/** Unpacks the tarball where n8n looks for community nodes. Returns that folder. */
export async function installPackage(tarball: string, userFolder: string): Promise<string> {
	const nodes = join(userFolder, '.n8n', 'nodes');
	const { name, version } = JSON.parse(
		await run('tar', ['-xOzf', tarball, 'package/package.json']),
	);
	const target = join(nodes, 'node_modules', String(name));
	await rm(target, { recursive: true, force: true });
	await mkdir(target, { recursive: true });
	await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
	const installed = { name: 'installed-nodes', private: true, dependencies: { [name]: version } };
	await writeFile(join(nodes, 'package.json'), JSON.stringify(installed, null, 2));
	return target;
}
