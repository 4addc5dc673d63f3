import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { manifest } from '../../engine/package';
import type { Row } from '../frame';
import { atMost, duration, kilobytes } from '../frame';
import { median } from '../rounds';
import { HOME } from '../subject';

/** How long the package takes to load, beyond n8n-workflow, which n8n has loaded already. */

const SCRIPT = `
require('n8n-workflow');
const started = performance.now();
for (const file of process.argv.slice(1)) require(file);
process.stdout.write(String(performance.now() - started));
`;

export const loading: Row = async ({ isQuick }) => {
	const { nodes, credentials } = manifest(HOME).n8n;
	/** What n8n requires when it loads the package. */
	const files = [...nodes, ...credentials].map((file) => join(HOME, file));
	const took = Array.from({ length: isQuick ? 3 : 15 }, () =>
		Number(execFileSync(process.execPath, ['-e', SCRIPT, ...files], { cwd: HOME })),
	);
	const what = 'Both nodes and the credential load, beyond n8n-workflow';
	const best = `${duration(Math.min(...took))} at best`;
	const target = atMost(what, median(took), 15, duration, best);
	return {
		title: 'Start',
		head: ['', 'Measured'],
		body: [[what, `${target.measured}, ${took.length} processes`]],
		targets: [target],
	};
};

/** The size of what npm downloads. */
export const tarball: Row = async () => {
	const said = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
		cwd: HOME,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	const [{ size, entryCount }] = JSON.parse(said) as [{ size: number; entryCount: number }];
	const target = atMost('The tarball', size, 65_000, kilobytes, `${entryCount} files`);
	const reason =
		'the code both nodes share is most of it. It is published readable, without its comments: minified it would be some 12 kB less and within the target, but nobody could review it.';
	return {
		title: 'Size',
		head: ['', 'Measured'],
		body: [[target.what, target.measured]],
		targets: [{ ...target, reason }],
	};
};
