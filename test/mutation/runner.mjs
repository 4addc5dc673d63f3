import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';

import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import { DryRunStatus, MutantRunStatus, TestStatus } from '@stryker-mutator/api/test-runner';

import { isInSample } from './folders.mjs';

/**
 * A test runner for Stryker: suite.ts in its worker process. A mutant counts as killed only when the
 * test that noticed it passes right afterwards without it, so that nothing left over from an earlier
 * run can pass for a test that notices.
 */

/** What the tests that are tried with one mutant may take, in milliseconds of work. */
const BUDGET = Number(process.env.MUTATION_BUDGET ?? 3_000);
/** How long each test took without a mutant, for processes that come later. */
const TIMES = 'mutation-times.json';

const stryker = (globalThis.__stryker__ ??= {});

class Runner {
	static inject = tokens(commonTokens.options);
	#files;
	#suite;
	#times = {};
	/** Tests that fail now and then, or by themselves: they notice nothing. */
	#shaky = new Set();
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
		this.#suite = createRequire(resolve('package.json'))('./test/mutation/suite.ts');
		if (existsSync(TIMES)) this.#times = JSON.parse(readFileSync(TIMES, 'utf8'));
	}

	async dryRun() {
		const mutantCoverage = { static: {}, perTest: {} };
		stryker.mutantCoverage = mutantCoverage;
		const onTest = (id) => {
			stryker.currentTestId = id;
		};
		const tests = [];
		for (const file of this.#files) {
			tests.push(...(await this.#suite.runFile(file, { goesOn: true, onTest })));
		}
		for (const { id, ms, cpu, failure } of tests) {
			if (failure) console.error(`Left out: ${id}\n${failure}`);
			else this.#times[id] = { ms, cpu };
		}
		writeFileSync(TIMES, JSON.stringify(this.#times));
		return {
			status: DryRunStatus.Complete,
			mutantCoverage,
			tests: tests.map(({ id, file, ms, failure }) => ({
				...{ id, name: id, fileName: resolve(file), timeSpentMs: ms },
				status: failure === undefined ? TestStatus.Success : TestStatus.Skipped,
			})),
		};
	}

	/**
	 * As many tests as one mutant may have, by their files: the quickest, and those named after the
	 * source where they are not much slower.
	 */
	#plan(ids, source) {
		const fileOf = (id) => id.slice(0, id.indexOf(' > '));
		const isOwn = (id) => basename(fileOf(id)).split('.').includes(source);
		const rank = (id) => this.#times[id].cpu / (isOwn(id) ? 5 : 1);
		const plan = new Map();
		let spent = 0;
		for (const id of ids.toSorted((a, b) => rank(a) - rank(b))) {
			const { cpu } = this.#times[id];
			if (spent + cpu > BUDGET && plan.size > 0) continue;
			spent += cpu;
			const file = fileOf(id);
			plan.set(file, (plan.get(file) ?? new Set()).add(id));
		}
		return plan;
	}

	async mutantRun(options) {
		const { fileName, location, ...change } = options.activeMutant;
		if (!isInSample({ ...change, fileName, start: location.start })) {
			// Such a status stays out of the score.
			return { status: MutantRunStatus.Error, errorMessage: 'not in the sample' };
		}
		// Stryker then starts another process, and tries the mutant there.
		if (this.#isSpoilt) process.exit(1);
		const ids = options.testFilter ?? Object.keys(this.#times);
		const sound = ids.filter((id) => !this.#shaky.has(id));
		let nrOfTests = 0;
		for (const [file, only] of this.#plan(sound, basename(fileName, '.ts'))) {
			for (;;) {
				const { results, isEndless } = await this.#withMutant(file, only, options);
				nrOfTests += results.length;
				const failed = results.find(({ failure }) => failure !== undefined);
				if (isEndless || failed?.isTimeout) {
					this.#isSpoilt = true;
					return { status: MutantRunStatus.Timeout, reason: failed?.id ?? 'It does not end' };
				}
				if (failed === undefined) break;
				const { id, failure: failureMessage } = failed;
				const again = await this.#suite.runFile(file, { only: new Set([id]) });
				if (again.every(({ failure }) => failure === undefined)) {
					return { status: MutantRunStatus.Killed, killedBy: [id], nrOfTests, failureMessage };
				}
				only.delete(id);
				this.#shaky.add(id);
				if (this.#shaky.size > 5) process.exit(1);
			}
		}
		return { status: MutantRunStatus.Survived, nrOfTests };
	}

	async #withMutant(file, only, { activeMutant, hitLimit, mutantActivation }) {
		stryker.hitLimit = hitLimit;
		stryker.hitCount = hitLimit === undefined ? undefined : 0;
		const onLoaded = () => {
			stryker.activeMutant = activeMutant.id;
		};
		if (mutantActivation === 'static') onLoaded();
		const limitOf = (id) => 8_000 + 4 * (this.#times[id]?.ms ?? 0);
		const results = await this.#suite.runFile(file, { only, limitOf, onLoaded });
		const isEndless = hitLimit !== undefined && stryker.hitCount > hitLimit;
		stryker.activeMutant = undefined;
		stryker.hitCount = undefined;
		return { results, isEndless };
	}
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'one-process', Runner)];
