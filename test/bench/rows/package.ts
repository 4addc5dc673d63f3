import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { manifest } from '../../engine/package';
import type { Row } from '../frame';
import { atMost, duration, HOME, kilobytes, median, rounds } from '../frame';

const SCRIPT = `
require('n8n-workflow');
const started = performance.now();
for (const file of process.argv.slice(1)) require(file);
process.stdout.write(String(performance.now() - started));
`;

/** How long the package takes to load, beyond n8n-workflow, which n8n has loaded already. */
export const loading: Row = async (bench) => {
	const { nodes, credentials } = manifest(HOME).n8n;
	const files = [...nodes, ...credentials].map((file) => join(HOME, file));
	const took = await rounds(bench, 15, async () =>
		Number(execFileSync(process.execPath, ['-e', SCRIPT, ...files], { cwd: HOME })),
	);
	const what = 'Both nodes and the credential load, beyond n8n-workflow';
	const details = `${duration(Math.min(...took))} at best of ${took.length} processes`;
	return { title: 'Start', figures: [atMost(what, median(took), 15, duration, details)] };
};

/** The size of what npm downloads. */
export const tarball: Row = async () => {
	const said = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
		cwd: HOME,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	const [{ size, entryCount }] = JSON.parse(said);
	const reason =
		'The code both nodes share is most of it. It is published readable, without its comments: minified it would be some 12 kB less and within the target, but nobody could review it.';
	return {
		title: 'Size',
		figures: [atMost('The tarball', size, 65_000, kilobytes, `${entryCount} files`, reason)],
	};
};
