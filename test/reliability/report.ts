import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { formattedPage, table } from '../report/markdown';

/**
 * Runs the storm tests with many more runs, adds up their counts (`tally.ts`), and writes
 * docs/reliability.md as one table: npm run reliability [-- --kills]
 *
 *   --kills   kills a real n8n instead, CRASH_KILLS times; the other rows keep their counts
 */
const { values } = parseArgs({ options: { kills: { type: 'boolean', default: false } } });

const ROOT = resolve(__dirname, '../..');
const FOLDER = join(ROOT, '.n8n/tally');
const OUT = join(ROOT, 'docs/reliability.md');

/** Environment variables override these. */
const LONG_RUN = {
	FC_SEED: 'random',
	STORM_RUNS: '5000',
	MONTH_DAYS: '30',
	CRASH_KILLS: '25',
	CHARGE_STORMS: '150',
	LOCK_RUNS: '5000',
	SCHEDULE_LENGTH: '6',
	CHARGE_SCHEDULE_LENGTH: '5',
	...process.env,
};
const STORMS = [
	'test/trigger/(storm|month|schedules)',
	'test/(charge/(chargeLock|schedules)|resources/payment/charge)',
];
const KILLS = ['-c', 'test/e2e/jest.config.js', 'crash'];

/** A table row: the kind of test, and the tally keys that each column adds up. */
interface Row {
	kind: string;
	total: string;
	excused?: string[];
	/** The key of the successes, if the test counts them: must equal total − excused − missed. */
	succeeded?: string;
	missed: string;
	wrong?: string[];
}

const fired = {
	total: 'sent',
	succeeded: 'fired',
	missed: 'lost',
	excused: ['purgedUnseen', 'tooLate'],
};
const polled = { ...fired, total: 'listed', wrong: ['doubled', 'wrong'] };
const killed = { ...fired, excused: ['lostInWindow'], wrong: ['doubled'] };
const killedWith = (engine: string): Row => ({ kind: `kills with ${engine}`, ...killed });
const everySchedule = (kind: string): Row => ({ kind, total: 'schedules', missed: 'failing' });

const ROWS: Readonly<Record<string, Row>> = {
	'Events, random schedules': { kind: 'storm', ...polled },
	'Every schedule of a small world of events': everySchedule('schedules'),
	'Events, a busy month': { kind: 'month', ...polled },
	'Events, n8n killed with the default engine': killedWith('the default engine'),
	'Events, n8n killed with durable cursors': killedWith('durable cursors'),
	'Events, n8n killed with the scheduler without durable cursors': killedWith(
		'the scheduler without durable cursors',
	),
	'Every schedule of a small world of charges': everySchedule('chargeSchedules'),
	'Charge requests, each reported correctly': {
		kind: 'charges',
		total: 'requests',
		excused: ['unshown'],
		missed: 'unclear',
		wrong: ['doubled', 'neverMade', 'falseAlarms'],
	},
};

/** The row's cells, added up over all tests of its kind; no row if none has run. */
function cellsOf([what, row]: [string, Row]): string[][] {
	const files = readdirSync(FOLDER).filter((name) => name.startsWith(`${row.kind}.`));
	const texts = files.map((name) => readFileSync(join(FOLDER, name), 'utf8').trim());
	const counts = texts.flatMap((text) => text.split('\n').map((line) => JSON.parse(line)));
	if (counts.length === 0) return [];
	const sum = (...keys: string[]) =>
		keys.flatMap((key) => counts.map((each) => Number(each[key]))).reduce((a, b) => a + b, 0);
	const { excused = [], wrong = [] } = row;
	const [total, missed] = [sum(row.total), sum(row.missed)];
	const expected = total - sum(...excused);
	const succeeded = expected - missed;
	if (row.succeeded && sum(row.succeeded) !== succeeded) {
		throw new Error(`${row.kind}: ${row.succeeded} is not total − excused − missed, ${succeeded}`);
	}
	const figures = [total, sum(...excused), expected, succeeded, missed, sum(...wrong)];
	return [[what, ...figures.map((figure) => figure.toLocaleString('en-US'))]];
}

function runTests(): boolean {
	mkdirSync(FOLDER, { recursive: true });
	const counted = readdirSync(FOLDER).filter((name) => name.startsWith('kills') === values.kills);
	for (const name of counted) rmSync(join(FOLDER, name));
	const jest = ['--no-install', 'jest', ...(values.kills ? KILLS : STORMS)];
	const env = { ...LONG_RUN, TALLY_FOLDER: FOLDER };
	return spawnSync('npx', jest, { cwd: ROOT, env, stdio: 'inherit' }).status === 0;
}

async function report(): Promise<void> {
	if (!runTests()) throw new Error(`A test did not pass: ${OUT} stays as it was.`);
	const { version, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
	const today = new Date().toISOString().slice(0, 10);
	const outcomes = ['Expected', 'Done', 'Missed', 'Repeated or wrong'];
	const head = ['', 'All', 'Excused by a limit', ...outcomes];
	const paragraphs = [
		'# Reliability in numbers',
		`Written by \`npm run reliability\` (kills: \`-- --kills\`) on ${today}: package ${version}, n8n-core ${devDependencies['n8n-core']}, Node ${process.version}. The tests compare what a stand-in for the gateway has sent and charged with what came out of the nodes.`,
		table(head, Object.entries(ROWS).flatMap(cellsOf)),
		`- **Schedules** are all sequences of ${LONG_RUN.SCHEDULE_LENGTH} actions in a small world of events (one arrives, late or dated in the future; the oldest is removed; a page fails; n8n restarts) and of ${LONG_RUN.CHARGE_SCHEDULE_LENGTH} in one of charges (two processes charge; answers are lost, refused or pending; payments appear late, are refunded or returned; n8n's database fails; a process restarts; days pass). For charges, only those that were played are counted.
- **Events** arrive late, share a date or are purged while requests fail, clocks jump and n8n restarts, or a real n8n gets \`kill -9\`. Each had to fire exactly once, unless a [limit](limits.md) excuses it: purged before any poll, listed after the look-back, or handed to an n8n that is killed before storing it.
- **Charge requests** meet lost, late and broken answers, restarts, retries, simultaneous executions and a failing n8n database. Wrong are a reference charged twice, a charge reported but not made, and a refusal reported as unknown.`,
	];
	const text = await formattedPage(paragraphs, OUT);
	process.stdout.write(`\n${text}`);
	writeFileSync(OUT, text);
}

void report();
