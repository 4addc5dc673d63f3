import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { Stryker } from '@stryker-mutator/core';

import { FOLDERS } from './folders.mjs';
import { writePage } from './page.mjs';

/**
 * Mutation testing: the code is changed in small ways, one at a time, and some test must notice.
 * What was found is kept in .n8n/mutation, so that the next run tries only what has changed.
 * CONTRIBUTING.md says what its options do; without a folder of `folders.mjs` it takes them all.
 */

const ROOT = resolve(import.meta.dirname, '../..');
const OUT = '.n8n/mutation';

const { positionals, values } = parseArgs({
	allowPositionals: true,
	options: {
		mutate: { type: 'string', multiple: true },
		sample: { type: 'string' },
		concurrency: { type: 'string' },
		again: { type: 'boolean' },
	},
});
const { mutate: places, sample, concurrency, again = false } = values;
const names = positionals.length > 0 ? positionals : Object.keys(FOLDERS);
const strange = names.find((name) => !(name in FOLDERS));
if (strange) throw new Error(`There is no folder ${strange}, but ${Object.keys(FOLDERS).join()}`);

const allTests = readdirSync(join(ROOT, 'test'), { recursive: true }).filter((file) =>
	file.endsWith('.test.ts'),
);

/** Where a change went unnoticed the last time. */
function survivors(file) {
	const { files } = JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
	const at = ({ line, column }) => `${line}:${column - 1}`;
	return Object.entries(files).flatMap(([source, { mutants }]) =>
		mutants
			.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
			.map(({ location: { start, end } }) => `${source}:${at(start)}-${at(end)}`),
	);
}

mkdirSync(join(ROOT, OUT), { recursive: true });
const given = { ...process.env, ...(sample && { MUTATION_SAMPLE: sample }) };
for (const name of names) {
	const { mutate, tests, env } = FOLDERS[name];
	// What went unnoticed meets all of its tests, not only the quickest.
	process.env = { ...env, ...(again && { MUTATION_BUDGET: '600000' }), ...given };
	const incrementalFile = `${OUT}/${[name, sample].filter(Boolean).join('-')}.json`;
	await new Stryker({
		mutate: places ?? (again ? survivors(incrementalFile) : mutate),
		force: again,
		mutationTests: allTests.filter((file) => tests.test(file)).map((file) => `test/${file}`),
		testRunner: 'one-process',
		plugins: ['./runner.mjs', './words.mjs'].map((file) => resolve(import.meta.dirname, file)),
		ignorers: ['words'],
		testRunnerNodeArgs: ['--import', 'tsx'],
		buildCommand: 'npm run --silent build',
		coverageAnalysis: 'perTest',
		concurrency: Number(concurrency ?? 1),
		incremental: true,
		incrementalFile,
		tempDirName: `${OUT}/tmp-${name}`,
		ignorePatterns: ['.n8n', 'dist', 'coverage', 'docs', 'test/e2e'],
		// Beside the limit of each test, for a loop that never gives the clock a chance.
		timeoutMS: 60_000,
		timeoutFactor: 1,
		dryRunTimeoutMinutes: 30,
		disableTypeChecks: false,
		reporters: ['clear-text'],
		clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false },
		warnings: { unknownOptions: false, slow: false },
	}).runMutationTest();
	if (places === undefined) await writePage(name, incrementalFile);
}
process.exit();
