import { execFileSync } from 'node:child_process';

import { median } from '../measure';
import type { Row } from '../row';
import { duration, judged } from '../row';

/** How long it takes to load the package, beyond n8n-workflow, which n8n has loaded already. */

const SCRIPT = `
require('n8n-workflow');
const started = performance.now();
for (const file of process.argv.slice(1)) require(file);
process.stdout.write(String(performance.now() - started));
`;

export const loading: Row = {
	name: 'loading',
	title: 'Loading',
	run: async ({ subject, isQuick, progress }) => {
		const took: number[] = [];
		const runs = isQuick ? 5 : 15;
		for (let run = 0; run < runs; run++) {
			progress(`process ${run + 1} of ${runs}`);
			const said = execFileSync(process.execPath, ['-e', SCRIPT, ...subject.files], {
				cwd: subject.directory,
				encoding: 'utf8',
			});
			took.push(Number(said));
		}
		const what = subject.hasTrigger ? 'Both nodes' : 'The action node';
		const target = judged(
			`${what} and the credential load, beyond n8n-workflow`,
			median(took),
			{ most: 15 },
			duration,
			`${duration(Math.min(...took))} at best`,
		);
		return {
			tables: [
				{
					title: 'Size and start',
					head: ['', 'Measured'],
					body: [[target.what, `${target.measured}, ${runs} processes`]],
				},
			],
			targets: [target],
		};
	},
};
