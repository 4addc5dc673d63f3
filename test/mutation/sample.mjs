import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

import {
	commonTokens,
	declareFactoryPlugin,
	PluginKind,
	tokens,
} from '@stryker-mutator/api/plugin';
import { MutantRunStatus } from '@stryker-mutator/api/test-runner';
import { strykerPlugins as jestPlugins } from '@stryker-mutator/jest-runner';

/**
 * Stryker's own test runner for jest, which tries a random sample of the changes. It runs one test
 * file after another, the quickest first, until one notices: by itself it would run all of them.
 */

const { MUTATION_SHARE = '0.02', MUTATION_SEED = new Date().toISOString().slice(0, 10) } =
	process.env;

/** The same changes for the same seed, wherever their file stands. */
function isInSample({ fileName, mutatorName, replacement, location }) {
	const change = [MUTATION_SEED, basename(fileName), mutatorName, replacement, location.start];
	const hash = createHash('sha256').update(JSON.stringify(change)).digest();
	return hash.readUInt32BE() / 2 ** 32 < Number(MUTATION_SHARE);
}

/** Which file each test stands in: written by the process of the first run, read by all others. */
const TESTS = 'mutation-tests.json';

function sampledJest(injector) {
	const runner = injector.injectFunction(jestPlugins[0].factory);
	const [dryRun, mutantRun] = [runner.dryRun.bind(runner), runner.mutantRun.bind(runner)];
	runner.dryRun = async (options) => {
		const result = await dryRun(options);
		writeFileSync(TESTS, JSON.stringify(result.tests ?? []));
		return result;
	};
	runner.mutantRun = async (options) => {
		if (!isInSample(options.activeMutant)) {
			// Such a status stays out of the score.
			return { status: MutantRunStatus.Error, errorMessage: 'not in the sample' };
		}
		const files = new Map();
		for (const { id, fileName, timeSpentMs } of JSON.parse(readFileSync(TESTS, 'utf8'))) {
			if (options.testFilter?.includes(id) === false) continue;
			const { ms, ids } = files.get(fileName) ?? { ms: 0, ids: [] };
			files.set(fileName, { ms: ms + timeSpentMs, ids: [...ids, id] });
		}
		let result = { status: MutantRunStatus.Survived, nrOfTests: 0 };
		for (const [file, { ids }] of [...files].sort(([, a], [, b]) => a.ms - b.ms)) {
			runner.jestConfig.testMatch = [file];
			result = await mutantRun({ ...options, testFilter: ids });
			if (result.status !== MutantRunStatus.Survived) break;
		}
		return result;
	};
	return runner;
}
sampledJest.inject = tokens(commonTokens.injector);

export const strykerPlugins = [
	declareFactoryPlugin(PluginKind.TestRunner, 'sampled-jest', sampledJest),
];
