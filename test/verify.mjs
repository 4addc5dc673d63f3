// Everything that must hold before a commit, one after another; stops at the first that fails.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const options = {
	/** A file for jest's results as JSON; .ci/run counts them. */
	'json-report': { type: 'string' },
};

const report = parseArgs({ options }).values['json-report'];
const steps = [
	['npm', 'run', '--silent', 'lint'],
	['npm', 'run', '--silent', 'typecheck'],
	['npm', 'run', '--silent', 'build'],
	['npx', '--no-install', 'jest', ...(report ? ['--json', `--outputFile=${report}`] : [])],
	['npm', 'run', '--silent', 'scan'],
];

for (const [command, ...args] of steps) {
	const name = args.filter((arg) => !arg.startsWith('-') && arg !== 'run')[0];
	console.log(`\n── ${name}`);
	// With --json, jest prints JSON to standard output and its report to standard error.
	const stdio = ['ignore', name === 'jest' && report ? 'ignore' : 'inherit', 'inherit'];
	const { status } = spawnSync(command, args, { stdio });
	if (status !== 0) {
		console.error(`\n${name} failed`);
		process.exit(status ?? 1);
	}
}
console.log('\nAll checks passed.');
