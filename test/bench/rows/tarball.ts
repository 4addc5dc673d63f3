import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

import type { Row } from '../row';
import { judged, kilobytes } from '../row';

/** The size of what npm downloads. */

const REASON =
	'the code both nodes share is most of it. It is published readable, without its comments: minified it would be some 12 kB less, which is still too much, and nobody could review it.';

export const tarball: Row = {
	name: 'tarball',
	title: 'Tarball',
	run: async () => {
		const said = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
			cwd: resolve(__dirname, '../../..'),
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'ignore'],
		});
		const [packed] = JSON.parse(said) as Array<{ size: number; entryCount: number }>;
		if (packed === undefined) throw new Error('npm pack said nothing');
		const files = `${packed.entryCount} files`;
		const target = judged('The tarball', packed.size, { most: 65_000 }, kilobytes, files);
		return {
			tables: [
				{
					title: 'Size and start',
					head: ['', 'Measured'],
					body: [[target.what, target.measured]],
				},
			],
			targets: [{ ...target, reason: REASON }],
		};
	},
};
