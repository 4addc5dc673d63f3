import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { page, table } from '../report/markdown';

/**
 * Runs the hostile tests at length, adds up what they have counted (`tally.ts`), and writes
 * docs/reliability.md as one table: npm run reliability [-- --kills]
 *
 *   --kills   kills a real n8n instead, CRASH_KILLS times; the other rows stay as they were counted
 */
const { values } = parseArgs({ options: { kills: { type: 'boolean', default: false } } });

const ROOT = resolve(__dirname, '../..');
const FOLDER = join(ROOT, '.n8n/tally');
const OUT = join(ROOT, 'docs/reliability.md');

/** Whoever sets one of them outside runs as much as that says. */
const AT_LENGTH = {
	...{ FC_SEED: 'random', STORM_RUNS: '5000', MONTH_DAYS: '30', CRASH_KILLS: '25' },
	...{ CHARGE_STORMS: '150', CLAIM_RUNS: '5000', SCHEDULE_LENGTH: '6' },
	...process.env,
};
const HOSTILE = ['test/trigger/(storm|month|schedules)', 'test/resources/payment/(charge|claims)'];
const KILLS = ['-c', 'test/e2e/jest.config.js', 'crash'];

/** A row of the table: what was counted, by the names that the tests count it under. */
interface Row {
	what: string;
	kind: string;
	all: string;
	excused: string[];
	/** Without it, the rest. */
	did?: string;
	didNot: string;
	wrong: string[];
}

const fired = { all: 'sent', did: 'fired', didNot: 'lost' };
const polled = { ...fired, excused: ['purgedUnseen', 'tooLate'], wrong: ['doubled', 'unclear'] };
const killed = { ...fired, excused: ['lostInWindow'], wrong: ['doubled'] };
const ENGINES = ['the default engine', 'durable cursors', 'the scheduler without durable cursors'];

const ROWS: readonly Row[] = [
	{ what: 'Events, random schedules', kind: 'storm', ...polled },
	{
		what: 'Schedules of a small world, each one',
		kind: 'schedules',
		...{ all: 'schedules', excused: [], didNot: 'failing', wrong: [] },
	},
	{ what: 'Events, a busy month', kind: 'month', ...polled },
	...ENGINES.map((engine) => ({
		what: `Events, n8n killed with ${engine}`,
		kind: `kills with ${engine}`,
		...killed,
	})),
	{
		what: 'Requests to charge, each told as it was',
		kind: 'charges',
		all: 'requests',
		excused: ['unshown'],
		didNot: 'unclear',
		wrong: ['doubled', 'lost', 'falseAlarms'],
	},
];

/** Sums over all tests of a kind; nothing where none has run. */
function countsOf(kind: string): Map<string, number> | undefined {
	const files = readdirSync(FOLDER).filter((name) => name.startsWith(`${kind}.`));
	const lines = files.flatMap((name) =>
		readFileSync(join(FOLDER, name), 'utf8').trim().split('\n'),
	);
	if (lines.length === 0) return undefined;
	const sums = new Map<string, number>();
	for (const [name, count] of lines.flatMap((line) => Object.entries(JSON.parse(line)))) {
		sums.set(name, (sums.get(name) ?? 0) + Number(count));
	}
	return sums;
}

/** The cells of a row, of which the first three figures and the next two add up. */
function cellsOf({ what, kind, ...names }: Row): string[][] {
	const counts = countsOf(kind);
	if (counts === undefined) return [];
	const sum = (...of: string[]) =>
		of.reduce((all, name) => {
			const count = counts.get(name);
			if (count === undefined) throw new Error(`No test has counted "${name}" for "${kind}"`);
			return all + count;
		}, 0);
	const [all, excused, didNot] = [sum(names.all), sum(...names.excused), sum(names.didNot)];
	const hadTo = all - excused;
	const did = names.did === undefined ? hadTo - didNot : sum(names.did);
	if (did + didNot !== hadTo) throw new Error(`${kind}: ${did} + ${didNot} is not ${hadTo}`);
	const figures = [all, excused, hadTo, did, didNot, sum(...names.wrong)];
	return [[what, ...figures.map((figure) => figure.toLocaleString('en-US'))]];
}

function runTests(): boolean {
	mkdirSync(FOLDER, { recursive: true });
	const counted = readdirSync(FOLDER).filter((name) => name.startsWith('kills') === values.kills);
	for (const name of counted) rmSync(join(FOLDER, name));
	const jest = ['--no-install', 'jest', ...(values.kills ? KILLS : HOSTILE)];
	const env = { ...AT_LENGTH, TALLY_FOLDER: FOLDER };
	return spawnSync('npx', jest, { cwd: ROOT, env, stdio: 'inherit' }).status === 0;
}

async function report(): Promise<void> {
	if (!runTests()) throw new Error(`A test did not pass: ${OUT} stays as it was.`);
	const { version, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
	const today = new Date().toISOString().slice(0, 10);
	const head = [
		'',
		'All',
		'Excused by a named limit',
		'Had to',
		'Did',
		'Did not',
		'Twice or wrong',
	];
	const paragraphs = [
		'# Reliability in numbers',
		`Written by \`npm run reliability\` (and, for the rows of kills, \`-- --kills\`) on ${today}: package ${version}, n8n-core ${devDependencies['n8n-core']}, Node ${process.version}. The tests compare what a stand-in for the gateway has sent and charged with what came out of the nodes; the table adds up their counts.`,
		table(head, ROWS.flatMap(cellsOf)),
		`- **Schedules** are all orders of ${AT_LENGTH.SCHEDULE_LENGTH} actions in a world so small that each can be tried: an event comes, comes late or is of the future, the oldest is removed, a page fails, n8n starts anew.
- **Events** come late, share a moment or are purged while requests fail, time out or are refused, clocks jump and n8n restarts; or while a real n8n gets \`kill -9\` between polls, during polls and right after an activation. An event had to fire, once, unless one of the [limits](limits.md) names it: purged before any poll, listed later than the look-back, or handed to an n8n that is killed before it has stored it.
- **Requests to charge** meet lost, late and broken answers, restarts, retries, executions at once, and an n8n database that fails. Each had to be told as what it was: charged, refused, or not known. Wrong are a reference charged twice, a charge reported that was not made, and "not known" of one that was plainly refused.`,
	];
	const text = await page(paragraphs, OUT);
	process.stdout.write(`\n${text}`);
	writeFileSync(OUT, text);
}

void report();
