import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import { DryRunStatus, MutantRunStatus, TestStatus } from '@stryker-mutator/api/test-runner';

import { isInSample } from './sample.mjs';

/**
 * A test runner for Stryker: suite.ts in its worker process. A mutant counts as killed only when the
 * test that noticed it passes right afterwards without it, so that nothing left over from an earlier
 * run can pass for a test that notices; one that has done so three times is believed.
 */

/** What the tests that are tried with one mutant may take, in milliseconds of work. */
const BUDGET = Number(process.env.MUTATION_BUDGET ?? 3_000);

const stryker = (globalThis.__stryker__ ??= {});

class Runner {
	static inject = tokens(commonTokens.options);
	#sandbox;
	#timesFile;
	#files;
	#times = {};
	/** Tests that fail now and then, or by themselves: they notice nothing. */
	#shaky = new Set();
	/** How often a test that had failed has passed right afterwards without the mutant. */
	#proven = new Map();
	/** What did not end may still be at work in this process. */
	#isSpoilt = false;

	constructor(options) {
		this.#files = options.mutationTests;
	}

	capabilities() {
		return { reloadEnvironment: true };
	}

	init() {
		process.on('unhandledRejection', () => {});
		this.#sandbox = process.cwd();
		this.suite = createRequire(join(this.#sandbox, 'package.json'))('./test/mutation/suite.ts');
		this.#timesFile = join(this.#sandbox, 'mutation-times.json');
		if (existsSync(this.#timesFile))
			this.#times = JSON.parse(readFileSync(this.#timesFile, 'utf8'));
	}

	async dryRun() {
		const mutantCoverage = { static: {}, perTest: {} };
		stryker.mutantCoverage = mutantCoverage;
		const onTest = (id) => {
			stryker.currentTestId = id;
		};
		const tests = [];
		for (const file of this.#files) {
			tests.push(...(await this.suite.runFile(file, { goesOn: true, onTest })));
		}
		for (const { id, failure } of tests) if (failure) console.error(`Left out: ${id}\n${failure}`);
		this.#times = Object.fromEntries(
			tests.filter(({ failure }) => !failure).map(({ id, ms, cpu }) => [id, { ms, cpu }]),
		);
		writeFileSync(this.#timesFile, JSON.stringify(this.#times));
		return {
			status: DryRunStatus.Complete,
			mutantCoverage,
			tests: tests.map(({ id, file, ms, failure }) => ({
				...{ id, name: id, fileName: join(this.#sandbox, file), timeSpentMs: ms },
				status: failure === undefined ? TestStatus.Success : TestStatus.Skipped,
			})),
		};
	}

	/**
	 * As many tests as one mutant may have, in their files: the quickest, and those named after the
	 * source where they are not much slower. The quickest file goes first.
	 */
	#plan(ids, source) {
		const fileOf = (id) => id.slice(0, id.indexOf(' > '));
		const cost = (id) => this.#times[id].cpu;
		const isOwn = (id) => basename(fileOf(id)).split('.').includes(source);
		const rank = (id) => (isOwn(id) ? cost(id) / 5 : cost(id));
		const planned = new Map();
		let spent = 0;
		for (const id of [...ids].sort((a, b) => rank(a) - rank(b))) {
			if (spent + cost(id) > BUDGET && planned.size > 0) continue;
			spent += cost(id);
			const file = fileOf(id);
			const plan = planned.get(file) ?? { file, only: new Set(), cost: 0 };
			plan.only.add(id);
			plan.cost += cost(id);
			planned.set(file, plan);
		}
		return [...planned.values()].sort((a, b) => a.cost - b.cost);
	}

	async mutantRun(options) {
		const { activeMutant } = options;
		if (!isInSample({ ...activeMutant, start: activeMutant.location.start })) {
			// Such a status stays out of the score.
			return { status: MutantRunStatus.Error, errorMessage: 'not in the sample' };
		}
		// Stryker then starts another process, and tries the mutant there.
		if (this.#isSpoilt) process.exit(1);
		const result = await this.#run(options);
		this.#isSpoilt = result.status === MutantRunStatus.Timeout;
		return result;
	}

	async #run({ activeMutant, testFilter, hitLimit, mutantActivation }) {
		const all = testFilter ?? Object.keys(this.#times);
		const wanted = all.filter((id) => !this.#shaky.has(id));
		const activate = () => {
			stryker.activeMutant = activeMutant.id;
		};
		const deactivate = () => {
			stryker.activeMutant = undefined;
			stryker.hitCount = undefined;
		};
		const limitOf = (id) => 8_000 + 4 * (this.#times[id]?.ms ?? 0);
		let nrOfTests = 0;
		const killed = ({ id, failure }) => ({
			...{ status: MutantRunStatus.Killed, killedBy: [id], nrOfTests },
			failureMessage: failure,
		});
		for (const { file, only } of this.#plan(wanted, basename(activeMutant.fileName, '.ts'))) {
			for (;;) {
				stryker.hitLimit = hitLimit;
				stryker.hitCount = hitLimit === undefined ? undefined : 0;
				if (mutantActivation === 'static') activate();
				const run = { only, limitOf, onLoaded: activate };
				const results = await this.suite.runFile(file, run);
				const isEndless = hitLimit !== undefined && stryker.hitCount > hitLimit;
				deactivate();
				nrOfTests += results.length;
				const failed = results.find(({ failure }) => failure !== undefined);
				if (isEndless) return { status: MutantRunStatus.Timeout, reason: 'It does not end' };
				if (failed === undefined) break;
				if (failed.isTimeout) return { status: MutantRunStatus.Timeout, reason: failed.id };
				if ((this.#proven.get(failed.id) ?? 0) >= 3) return killed(failed);
				const again = await this.suite.runFile(file, { only: new Set([failed.id]) });
				if (again.every(({ failure }) => failure === undefined)) {
					this.#proven.set(failed.id, (this.#proven.get(failed.id) ?? 0) + 1);
					return killed(failed);
				}
				this.#proven.delete(failed.id);
				only.delete(failed.id);
				this.#shaky.add(failed.id);
				if (this.#shaky.size > 5) process.exit(1);
			}
		}
		return { status: MutantRunStatus.Survived, nrOfTests };
	}
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'one-process', Runner)];
