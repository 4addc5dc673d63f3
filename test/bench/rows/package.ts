import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { manifest } from '../../engine/package';
import type { Row } from '../frame';
import { duration, atMost, kilobytes } from '../frame';
import { median } from '../rounds';
import { HOME } from '../subject';

/** How long the package takes to load, beyond n8n-workflow, which n8n has loaded already. */

const SCRIPT = `
require('n8n-workflow');
const started = performance.now();
for (const file of process.argv.slice(1)) require(file);
process.stdout.write(String(performance.now() - started));
`;

export const loading: Row = {
	name: 'loading',
	run: async ({ isQuick }) => {
		const { nodes, credentials } = manifest(HOME).n8n;
		/** What n8n requires when it loads the package. */
		const files = [...nodes, ...credentials].map((file) => join(HOME, file));
		const took = Array.from({ length: isQuick ? 3 : 15 }, () =>
			Number(execFileSync(process.execPath, ['-e', SCRIPT, ...files], { cwd: HOME })),
		);
		const target = atMost(
			'Both nodes and the credential load, beyond n8n-workflow',
			median(took),
			15,
			duration,
			`${duration(Math.min(...took))} at best`,
		);
		return {
			title: 'Start',
			head: ['', 'Measured'],
			body: [[target.what, `${target.measured}, ${took.length} processes`]],
			targets: [target],
		};
	},
};

/** The size of what npm downloads. */
export const tarball: Row = {
	name: 'tarball',
	run: async () => {
		const said = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
			cwd: HOME,
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'ignore'],
		});
		const [packed] = JSON.parse(said) as Array<{ size: number; entryCount: number }>;
		if (packed === undefined) throw new Error('npm pack said nothing');
		const files = `${packed.entryCount} files`;
		const target = atMost('The tarball', packed.size, 65_000, kilobytes, files);
		const reason =
			'the code both nodes share is most of it. It is published readable, without its comments: minified it would be some 12 kB less and within the target, but nobody could review it.';
		return {
			title: 'Size',
			head: ['', 'Measured'],
			body: [[target.what, target.measured]],
			targets: [{ ...target, reason }],
		};
	},
};
