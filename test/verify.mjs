// Everything that must hold before a commit, one after another; stops at the first that fails.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const options = {
	/** A file for jest's results as JSON; .ci/run counts them. */
	'json-report': { type: 'string' },
};

const report = parseArgs({ options }).values['json-report'];
const reportOptions = report ? ['--json', `--outputFile=${report}`] : [];
const steps = [
	{ name: 'lint', command: ['npm', 'run', '--silent', 'lint'] },
	{ name: 'typecheck', command: ['npm', 'run', '--silent', 'typecheck'] },
	{ name: 'build', command: ['npm', 'run', '--silent', 'build'] },
	{ name: 'jest', command: ['npx', '--no-install', 'jest', ...reportOptions] },
	{ name: 'scan', command: ['npm', 'run', '--silent', 'scan'] },
];

for (const { name, command } of steps) {
	console.log(`\n── ${name}`);
	// With --json, jest prints JSON to standard output and its report to standard error.
	const stdio = ['ignore', name === 'jest' && report ? 'ignore' : 'inherit', 'inherit'];
	const [program, ...args] = command;
	const { status } = spawnSync(program, args, { stdio });
	if (status !== 0) {
		console.error(`\n${name} failed`);
		process.exit(status ?? 1);
	}
}
console.log('\nAll checks passed.');
