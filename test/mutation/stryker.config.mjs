import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Mutation testing: the code is changed in small ways, one at a time, and some test must notice:
 * npm run mutation. Tried are the changes of some lines: MUTATION_SHARE is their share of all sources,
 * MUTATION_SEED (by default today's date) chooses which. Stryker's report names each change that no
 * test noticed.
 */

const { MUTATION_SHARE = '0.01', MUTATION_SEED = new Date().toISOString().slice(0, 10) } =
	process.env;
/** Lines are chosen together with their neighbours, since a change can go over several. */
const TOGETHER = 15;

const lines = ['nodes', 'credentials']
	.flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => `${folder}/${name}`))
	.filter((file) => file.endsWith('.ts'))
	.flatMap((file) => {
		const { length } = readFileSync(file, 'utf8').split('\n');
		const blocks = Array.from({ length: Math.ceil(length / TOGETHER) }, (_, nth) => nth * TOGETHER);
		return blocks.map((before) => `${file}:${before + 1}-${before + TOGETHER}`);
	});
const turnOf = (block) =>
	createHash('sha256')
		.update(MUTATION_SEED + block)
		.digest('hex');
const inTurn = lines.sort((a, b) => (turnOf(a) < turnOf(b) ? -1 : 1));

// The random tests play few cases: what they alone would notice counts as unnoticed.
Object.assign(process.env, {
	...{ STORM_RUNS: '20', CHARGE_STORMS: '2', CUSTOMER_STORMS: '5', LOCK_RUNS: '20' },
	...{ MOVING_LISTS: '20', MASKED_NUMBERS: '20' },
});

/** Tests of the rigs and of the house, which look at the sources or take long. */
const LEFT_OUT = ['demo', 'sandbox', 'engine', 'trigger/month', 'hostile'];
const HOUSE = ['architecture', 'formAsSeen', 'registry', 'workflows'];

export default {
	mutate: inTurn.slice(0, Math.ceil(lines.length * Number(MUTATION_SHARE))),
	// Words for people, and what stands in forms once and for all, change no behaviour.
	mutator: { excludedMutations: ['StringLiteral'] },
	ignoreStatic: true,
	testRunner: 'jest',
	jest: {
		config: {
			// Changed code is slower. What does not end, Stryker ends.
			testTimeout: 120_000,
			testPathIgnorePatterns: ['/node_modules/', '/test/e2e/'].concat(
				[...LEFT_OUT, ...HOUSE].map((name) => `/test/${name}`),
			),
		},
		// Tests run what was built, so their imports do not tell what they reach.
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
