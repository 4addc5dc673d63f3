import { createHash } from 'node:crypto';
import { basename } from 'node:path';

import {
	commonTokens,
	declareFactoryPlugin,
	PluginKind,
	tokens,
} from '@stryker-mutator/api/plugin';
import { MutantRunStatus } from '@stryker-mutator/api/test-runner';
import { strykerPlugins as jestPlugins } from '@stryker-mutator/jest-runner';

/** Stryker's own test runner for jest, which tries a random sample of the changes. */

const { MUTATION_SHARE = '0.02', MUTATION_SEED = new Date().toISOString().slice(0, 10) } =
	process.env;

/** The same changes for the same seed, wherever their file stands. */
function isInSample({ fileName, mutatorName, replacement, location }) {
	const change = [MUTATION_SEED, basename(fileName), mutatorName, replacement, location.start];
	const hash = createHash('sha256').update(JSON.stringify(change)).digest();
	return hash.readUInt32BE() / 2 ** 32 < Number(MUTATION_SHARE);
}

function sampledJest(injector) {
	const runner = injector.injectFunction(jestPlugins[0].factory);
	const mutantRun = runner.mutantRun.bind(runner);
	runner.mutantRun = async (options) =>
		isInSample(options.activeMutant)
			? await mutantRun(options)
			: // Such a status stays out of the score.
				{ status: MutantRunStatus.Error, errorMessage: 'not in the sample' };
	return runner;
}
sampledJest.inject = tokens(commonTokens.injector);

export const strykerPlugins = [
	declareFactoryPlugin(PluginKind.TestRunner, 'sampled-jest', sampledJest),
];
