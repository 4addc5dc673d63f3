import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Mutation testing: Stryker changes the code, one mutant at a time, and a test must kill it:
 * npm run mutation. Only some lines are mutated: MUTATION_SHARE is their share of all sources, and
 * MUTATION_SEED (by default today's date) chooses them. Stryker's report lists the survivors.
 */

const { MUTATION_SHARE = '0.01', MUTATION_SEED = new Date().toISOString().slice(0, 10) } =
	process.env;
/** Blocks of lines are chosen, since a mutant can span several lines. */
const LINES_PER_BLOCK = 15;

const blocks = ['nodes', 'credentials']
	.flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => `${folder}/${name}`))
	.filter((file) => file.endsWith('.ts'))
	.flatMap((file) => {
		const { length } = readFileSync(file, 'utf8').split('\n');
		const count = Math.ceil(length / LINES_PER_BLOCK);
		const starts = Array.from({ length: count }, (_, nth) => nth * LINES_PER_BLOCK + 1);
		return starts.map((start) => `${file}:${start}-${start + LINES_PER_BLOCK - 1}`);
	});
const hashOf = (block) =>
	createHash('sha256')
		.update(MUTATION_SEED + block)
		.digest('hex');
const shuffled = blocks.sort((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1));

// Few cases per random test: a mutant that only a longer run would kill counts as survived.
Object.assign(process.env, {
	STORM_RUNS: '20',
	CHARGE_STORMS: '2',
	CUSTOMER_STORMS: '5',
	LOCK_RUNS: '20',
	MOVING_LISTS: '20',
	MASKED_NUMBERS: '20',
});

/** Tests of the rigs, and slow tests. */
const EXCLUDED_TESTS = ['demo', 'reliability', 'sandbox', 'trigger/month', 'hostile'];
/** Tests of the source text. */
const SOURCE_CHECKS = ['architecture', 'formAsSeen', 'registry', 'workflows'];

export default {
	mutate: shuffled.slice(0, Math.ceil(blocks.length * Number(MUTATION_SHARE))),
	// Messages and static form descriptions change no behaviour.
	mutator: { excludedMutations: ['StringLiteral'] },
	ignoreStatic: true,
	testRunner: 'jest',
	jest: {
		config: {
			// Stryker wraps jest's environment, and finds it by its name only.
			testEnvironment: 'node',
			// Mutated code is slower. Stryker stops what does not end.
			testTimeout: 120_000,
			testPathIgnorePatterns: ['/node_modules/', '/test/e2e/'].concat(
				[...EXCLUDED_TESTS, ...SOURCE_CHECKS].map((name) => `/test/${name}`),
			),
		},
		// Tests run dist, so jest cannot derive related tests from imports.
		enableFindRelatedTests: false,
	},
	coverageAnalysis: 'perTest',
	buildCommand: 'npm run --silent build',
	disableTypeChecks: '{nodes,credentials}/**/*.ts',
	ignorePatterns: ['.n8n', 'dist', 'docs', 'test/e2e'],
	tempDirName: '.n8n/mutation',
	concurrency: 2,
	timeoutMS: 60_000,
	dryRunTimeoutMinutes: 30,
	reporters: ['clear-text'],
	clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false },
};
