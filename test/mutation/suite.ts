import { createRequire } from 'node:module';
import { join, sep } from 'node:path';

import { ModernFakeTimers } from '@jest/fake-timers';
import { expect } from 'expect';
import * as circus from 'jest-circus';
import { ModuleMocker } from 'jest-mock';

/**
 * Runs test files in this process by jest's own jest-circus, but without a world of its own for
 * each: n8n-core is then loaded once for thousands of runs, and a run takes milliseconds. What is
 * tested and the test file itself are loaded anew for each run; only what no mutant is in stays. With
 * Stryker's own runner for jest, the changes of one file took more than eighteen times as long.
 */

type Block = circus.State['rootDescribeBlock'];
type Test = NonNullable<circus.State['currentlyRunningTest']>;

export interface Result {
	id: string;
	file: string;
	/** How long it took, and how much of that this process was at work: the rest it waited. */
	ms: number;
	cpu: number;
	/** Undefined when it passed. */
	failure?: string;
	isTimeout?: boolean;
}

export interface RunOptions {
	/** The tests to run; all of them when it is missing. */
	only?: ReadonlySet<string>;
	/** Goes on after a failure. */
	goesOn?: boolean;
	/** How long a test may take. */
	limitOf?(id: string): number;
	/** Called right before each test, and with undefined after it. */
	onTest?(id: string | undefined): void;
	/** Called once the file is loaded. */
	onLoaded?(): void;
}

const TEST_MS = 30_000;
const HOOK_MS = 60_000;

const ROOT = process.cwd();
const load = createRequire(join(ROOT, 'package.json'));
/** No mutant is in them, and they hold on to what n8n-core holds on to. */
const STAYS = ['test/engine', 'test/sandbox', 'test/mutation'].map(
	(name) => join(ROOT, name) + sep,
);

function isLoadedAnew(file: string): boolean {
	const isOwn = file.startsWith(ROOT + sep) && !file.includes('/node_modules/');
	return isOwn && !STAYS.some((folder) => file.startsWith(folder));
}

function forgetModules(): void {
	for (const file of Object.keys(load.cache)) if (isLoadedAnew(file)) delete load.cache[file];
}

/** As jest's: what is loaded meanwhile is loaded anew, and forgotten afterwards. */
function isolateModules(body: () => unknown): void {
	const before = Object.entries(load.cache);
	forgetModules();
	try {
		body();
	} finally {
		forgetModules();
		for (const [file, module] of before) if (isLoadedAnew(file)) load.cache[file] = module;
	}
}

const timers = new ModernFakeTimers({
	config: { fakeTimers: {}, rootDir: ROOT } as never,
	global: globalThis,
});
const mocker = new ModuleMocker(globalThis);

const { test, it, describe, beforeAll, afterAll, beforeEach, afterEach } = circus;
Object.assign(globalThis, {
	...{ test, it, describe, beforeAll, afterAll, beforeEach, afterEach, expect },
	jest: {
		spyOn: mocker.spyOn.bind(mocker),
		restoreAllMocks: () => mocker.restoreAllMocks(),
		isolateModules,
		doMock: () => undefined,
		dontMock: () => undefined,
		requireActual: (name: string) => createRequire(join(ROOT, running.file))(name) as unknown,
		useFakeTimers: () => timers.useFakeTimers(),
		useRealTimers: () => timers.useRealTimers(),
		setSystemTime: (now: number) => timers.setSystemTime(now),
		advanceTimersByTimeAsync: async (ms: number) => await timers.advanceTimersByTimeAsync(ms),
	},
});

/** A run of a file. */
class Run {
	readonly results: Result[] = [];
	private readonly ids = new Map<Test, string>();
	private atWork = process.cpuUsage();

	constructor(
		readonly file: string,
		private readonly options: RunOptions,
	) {}

	/** Names the tests that the file has made, and runs those that are wanted. */
	async start(): Promise<void> {
		const taken = new Set<string>();
		for (const each of testsOf(circus.getState().rootDescribeBlock)) {
			let id = [this.file, ...namesOf(each)].join(' > ');
			while (taken.has(id)) id += '+';
			taken.add(id);
			this.ids.set(each, id);
			if (this.options.only?.has(id) === false) each.mode = 'skip';
		}
		this.options.onLoaded?.();
		await circus.run();
	}

	on(event: circus.Event, state: circus.State): void {
		if (event.name === 'run_describe_start') state.testTimeout = HOOK_MS;
		if (event.name !== 'test_start' && event.name !== 'test_done') return;
		const { test } = event;
		const id = this.ids.get(test);
		if (id === undefined || test.mode === 'skip') return;
		if (event.name === 'test_done') return this.end(id, test);
		test.timeout = Math.min(test.timeout ?? TEST_MS, this.options.limitOf?.(id) ?? TEST_MS);
		// What stands before and after each test takes its time from this.
		state.testTimeout = test.timeout;
		this.options.onTest?.(id);
		this.atWork = process.cpuUsage();
	}

	private end(id: string, { duration, errors }: Test): void {
		this.options.onTest?.(undefined);
		const { user, system } = process.cpuUsage(this.atWork);
		const result = { id, file: this.file, ms: duration ?? 0, cpu: (user + system) / 1000 };
		const [failure] = errors.map(textOf);
		this.results.push(
			failure === undefined
				? result
				: { ...result, failure, isTimeout: failure.includes('Exceeded timeout of') },
		);
		// Also the hooks of a group are left out then.
		if (failure !== undefined && !this.options.goesOn) {
			for (const other of this.ids.keys()) other.mode = 'skip';
		}
	}
}

function testsOf(block: Block): Test[] {
	return block.children.flatMap((part) => (part.type === 'test' ? [part] : testsOf(part)));
}

function namesOf(part: Test | Block): string[] {
	return part.parent === undefined ? [] : [...namesOf(part.parent), part.name];
}

/** jest-circus has some errors with the place where their test stands. */
function textOf(thrown: unknown): string {
	const [error] = [thrown].flat();
	return String(error ?? 'nothing was thrown').slice(0, 600);
}

let running: Run;
circus.addEventHandler((event: circus.Event, state: circus.State) => running.on(event, state));

export async function runFile(file: string, options: RunOptions): Promise<Result[]> {
	forgetModules();
	running = new Run(file, options);
	circus.resetState();
	try {
		load('./test/seed.ts');
		load(`./${file}`);
		const { engine } = load('./test/engine') as { engine: { restart(): void } };
		engine.restart();
		await running.start();
	} catch (error) {
		const id = `${file} > (loading)`;
		running.results.push({ id, file, ms: 0, cpu: 0, failure: textOf(error) });
	} finally {
		mocker.restoreAllMocks();
		timers.useRealTimers();
	}
	return running.results;
}
