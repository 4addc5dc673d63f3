import { createRequire } from 'node:module';
import { basename, join, relative, resolve, sep } from 'node:path';

import { ModuleMocker } from 'jest-mock';
import { bind } from 'jest-each';
import { expect } from 'expect';
import { ModernFakeTimers } from '@jest/fake-timers';

/**
 * Runs test files in this process, as jest does, but without a world of its own for each: n8n-core
 * is then loaded once for thousands of runs, and a run takes milliseconds. What is tested and the
 * test file itself are loaded anew for each run; only what no mutant is in stays. With Stryker's own
 * runner for jest, the changes of one file took more than eighteen times as long.
 */

type Step = () => unknown;

interface Suite {
	name: string;
	parent: Suite | undefined;
	beforeAll: Step[];
	afterAll: Step[];
	beforeEach: Step[];
	afterEach: Step[];
	parts: Array<Suite | Test>;
}

interface Test {
	id: string;
	file: string;
	body: Step;
	limit: number;
}

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
	/** Ends a file at its first failure. */
	bail: boolean;
	/** How long a test may take. */
	limitOf(id: string): number;
	/** Called right before each test, and with undefined after it. */
	onTest(id: string | undefined): void;
	/** Called once the file is loaded. */
	onLoaded(): void;
}

const ROOT = process.cwd();
const load = createRequire(join(ROOT, 'package.json'));
/** No mutant is in them, and they hold on to what n8n-core holds on to. */
const STAYS = ['test/engine', 'test/sandbox'].map((folder) => join(ROOT, folder) + sep);

const isOwn = (file: string) => file.startsWith(ROOT + sep) && !file.includes('/node_modules/');
const stays = (file: string) => STAYS.some((folder) => file.startsWith(folder));

function forgetModules(which: (file: string) => boolean): void {
	for (const file of Object.keys(load.cache)) if (which(file)) delete load.cache[file];
}

/** As jest's: what is loaded meanwhile is loaded anew, and forgotten afterwards. */
function isolateModules(body: Step): void {
	const before = new Map(Object.entries(load.cache));
	const isNew = (file: string) => isOwn(file) && !stays(file);
	forgetModules(isNew);
	try {
		body();
	} finally {
		forgetModules(isNew);
		for (const [file, module] of before) if (isNew(file)) load.cache[file] = module;
	}
}

let current: Suite;
let file = '';
let ids = new Set<string>();

const suiteOf = (name: string, parent?: Suite): Suite => ({
	name,
	parent,
	...{ beforeAll: [], afterAll: [], beforeEach: [], afterEach: [], parts: [] },
});

function idOf(title: string): string {
	const names = [title];
	for (let suite: Suite | undefined = current; suite?.parent; suite = suite.parent) {
		names.unshift(suite.name);
	}
	let id = `${file} > ${names.join(' > ')}`;
	while (ids.has(id)) id += '+';
	ids.add(id);
	return id;
}

const test = Object.assign(
	(title: string, body: Step, limit = 30_000) => {
		current.parts.push({ id: idOf(title), file, body, limit });
	},
	{ skip: () => undefined },
);
const describe = Object.assign(
	(name: string, body: Step) => {
		const outer = current;
		current = suiteOf(name, outer);
		outer.parts.push(current);
		body();
		current = outer;
	},
	{ skip: () => undefined },
);

const timers = new ModernFakeTimers({
	config: { fakeTimers: {}, rootDir: ROOT } as never,
	global: globalThis,
});

const mocker = new ModuleMocker(globalThis);
const jestObject = {
	fn: mocker.fn.bind(mocker),
	spyOn: mocker.spyOn.bind(mocker),
	mocked: (value: unknown) => value,
	restoreAllMocks: () => mocker.restoreAllMocks(),
	isolateModules,
	doMock: () => undefined,
	dontMock: () => undefined,
	requireActual: (name: string) => createRequire(resolve(ROOT, file))(name) as unknown,
	useFakeTimers: () => timers.useFakeTimers(),
	useRealTimers: () => timers.useRealTimers(),
	setSystemTime: (now: number) => timers.setSystemTime(now),
	advanceTimersByTimeAsync: async (ms: number) => await timers.advanceTimersByTimeAsync(ms),
};

Object.assign(globalThis, {
	expect,
	jest: jestObject,
	test: Object.assign(test, { each: bind(test as never) }),
	it: test,
	describe: Object.assign(describe, { each: bind(describe as never) }),
	beforeAll: (step: Step) => current.beforeAll.push(step),
	afterAll: (step: Step) => current.afterAll.push(step),
	beforeEach: (step: Step) => current.beforeEach.push(step),
	afterEach: (step: Step) => current.afterEach.push(step),
});

class TooLong extends Error {}

async function within(ms: number, step: Step): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = realSetTimeout(() => reject(new TooLong(`not done after ${ms} ms`)), ms);
	});
	try {
		await Promise.race([Promise.resolve().then(step), late]);
	} finally {
		realClearTimeout(timer);
	}
}
const realSetTimeout = setTimeout;
const realClearTimeout = clearTimeout;
const realNow = Date.now.bind(Date);

function testsOf(suite: Suite): Test[] {
	return suite.parts.flatMap((part) => ('parts' in part ? testsOf(part) : [part]));
}

const textOf = (error: unknown) =>
	error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 600) : String(error);

export async function runFile(name: string, options: RunOptions): Promise<Result[]> {
	const results: Result[] = [];
	let isOver = false;
	const isWanted = ({ id }: Test) => options.only?.has(id) ?? true;

	const runTest = async (each: Test, path: readonly Suite[]) => {
		options.onTest(each.id);
		const began = realNow();
		const atWork = process.cpuUsage();
		let error: unknown;
		const limit = Math.min(each.limit, options.limitOf(each.id));
		try {
			await within(limit, async () => {
				for (const suite of path) for (const step of suite.beforeEach) await step();
				await each.body();
			});
		} catch (thrown) {
			error = thrown ?? new Error('nothing was thrown');
		}
		try {
			await within(limit, async () => {
				for (const suite of [...path].reverse()) for (const step of suite.afterEach) await step();
			});
		} catch (thrown) {
			error ??= thrown;
		}
		options.onTest(undefined);
		const { user, system } = process.cpuUsage(atWork);
		results.push({
			...{ id: each.id, file: each.file },
			...{ ms: realNow() - began, cpu: (user + system) / 1000 },
			...(error === undefined
				? {}
				: { failure: textOf(error), isTimeout: error instanceof TooLong }),
		});
		if (error !== undefined && options.bail) isOver = true;
	};

	const runSuite = async (suite: Suite, outer: readonly Suite[]) => {
		const wanted = testsOf(suite).filter(isWanted);
		if (wanted.length === 0 || isOver) return;
		const path = [...outer, suite];
		try {
			await within(60_000, async () => {
				for (const step of suite.beforeAll) await step();
			});
			for (const part of suite.parts) {
				if (isOver) break;
				if ('parts' in part) await runSuite(part, path);
				else if (isWanted(part)) await runTest(part, path);
			}
		} catch (error) {
			isOver = true;
			for (const { id } of wanted)
				results.push({ id, file: name, ms: 0, cpu: 0, failure: textOf(error) });
		} finally {
			await within(10_000, async () => {
				for (const step of suite.afterAll) await step();
			}).catch(() => undefined);
		}
	};

	forgetModules((path) => isOwn(path) && !stays(path) && path !== __filename);
	file = relative(ROOT, resolve(ROOT, name));
	ids = new Set();
	const root = suiteOf(basename(name));
	current = root;
	try {
		load(join(ROOT, 'test/seed.ts'));
		load(resolve(ROOT, name));
		const { engine } = load(join(ROOT, 'test/engine')) as { engine: { restart(): void } };
		engine.restart();
		options.onLoaded();
		await runSuite(root, []);
	} catch (error) {
		results.push({ id: `${file} > (loading)`, file, ms: 0, cpu: 0, failure: textOf(error) });
	} finally {
		mocker.restoreAllMocks();
		timers.useRealTimers();
	}
	return results;
}
