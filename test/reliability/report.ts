import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { command } from '../report/command';
import { page, table } from '../report/markdown';
import type { Tallies } from './tally';

/**
 * The command `npm run reliability`: runs the hostile tests at length, adds up what they have counted
 * (`tally.ts`), and writes docs/reliability.md.
 */

const ROOT = resolve(__dirname, '../..');
const FOLDER = join(ROOT, '.n8n/tally');
const OUT = join(ROOT, 'docs/reliability.md');
const USAGE = `Usage: npm run reliability [-- --kills | --add-up]

  --kills    also kills a real n8n anew; without it, the counts of the last time are taken, if any
  --add-up   runs nothing: writes the table of what was counted last`;

const SUITES = [
	'test/trigger/(storm|month)',
	'test/resources/payment/(commit|claims)',
	'test/gateway/paginate',
	'test/hostile',
	'test/output/mask',
];
/** As many as two cores do in some five minutes. */
const AT_LENGTH = {
	FC_SEED: 'random',
	STORM_RUNS: '5000',
	MONTH_DAYS: '30',
	CHARGE_STORMS: '150',
	CLAIM_RUNS: '5000',
	MOVING_LISTS: '5000',
	HOSTILE_MIXTURES: '50',
	MASKED_NUMBERS: '10000',
};
/** Each way of n8n to keep the trigger's state, with where the README names a limit of it. */
const KILLS = [
	['kills with the default engine', "Between a poll's answer and its executions"],
	['kills with durable cursors', 'Right after an activation'],
	[
		'kills with the scheduler without durable cursors',
		"Right after an activation, and between a poll's answer and its executions",
	],
] as const;

const filesOf = (kind: string) =>
	readdirSync(FOLDER)
		.filter((name) => name.startsWith(`${kind}.`))
		.map((name) => join(FOLDER, name));

function counted<K extends keyof Tallies>(kind: K): Tallies[K] {
	const texts = filesOf(kind).map((file) => readFileSync(file, 'utf8'));
	if (texts.length === 0) throw new Error(`No test has counted anything for "${kind}"`);
	const sum: Record<string, number> = {};
	for (const line of texts.join('').trim().split('\n')) {
		for (const [name, count] of Object.entries(JSON.parse(line))) {
			sum[name] = (sum[name] ?? 0) + Number(count);
		}
	}
	return sum as Tallies[K];
}

/** Of the counts, those are missing that do not apply. */
interface Row extends Partial<Record<'faults' | 'lost' | 'doubled' | 'unclear', number>> {
	hostility: string;
	asked: string;
	came: string;
	/** What was done, in a sentence or two, and where. */
	words: string;
	file: string;
}

const n = (count: number) => count.toLocaleString('en-US');

/** What the random schedules and the busy days of the trigger have in common. */
function triggered(sum: Tallies['storm'] | Tallies['month']) {
	const { lost, doubled, unclear } = sum;
	return {
		faults: sum.failures + sum.moves + sum.oddities + sum.clocks + sum.renames,
		asked: `${n(sum.sent)} events sent`,
		came: `${n(sum.fired)} fired; ${n(sum.purgedUnseen)} purged unseen, ${n(sum.tooLate)} too late`,
		...{ lost, doubled, unclear },
	};
}

function killRow([kind, where]: (typeof KILLS)[number]): Row[] {
	if (filesOf(kind).length === 0) return [];
	const { kills, sent, fired, lost, doubled, lostInWindow, doubledInWindow } = counted(kind);
	return [
		{
			hostility: `Trigger: a real n8n is killed, ${kind.replace('kills ', '')}`,
			asked: `${n(sent)} events sent`,
			came: `${n(fired)} fired`,
			...{ faults: kills, lost, doubled },
			words: `\`kill -9\` between polls, while a poll waits for its answer, while it hands its events over, and right after an activation, with payments going on meanwhile. ${where}, where the README names a limit, ${n(lostInWindow)} more were lost and ${n(doubledInWindow)} doubled.`,
			file: 'test/e2e/crash.e2e.ts',
		},
	];
}

function allRows(killRows: Row[]): Row[] {
	const [storm, month, charges] = [counted('storm'), counted('month'), counted('charges')];
	const [lists, inputs, secrets] = [counted('lists'), counted('inputs'), counted('secrets')];
	return [
		{
			hostility: `Trigger: ${n(storm.schedules)} random schedules`,
			...triggered(storm),
			words: `${n(storm.polls)} polls, ${n(storm.restarts)} restarts and ${n(storm.renames)} renames of the trigger against a list of events that misbehaves: ${n(storm.failures)} requests failed, were refused for a while or did not end in time; ${n(storm.clocks)} times a clock (the service's or this machine's) jumped by up to 400 days; ${n(storm.moves)} times the list changed while it was read; and ${n(storm.oddities)} times events came late, were dated ahead, had no date, were listed twice, stood out of order, vanished or were purged. Some services also send no Date header, report wrong totals, serve smaller pages than asked for or refuse large ones or deep ones, list rows that are no events or stand the wrong way round, answer first with an empty list, or take up to 25 seconds for each request. An event that the service purged before a poll came, or that appeared outside of the look-back or not among the 1,000 newest, need not fire; all others must, once.`,
			file: 'test/trigger/storm.test.ts',
		},
		{
			hostility: `Trigger: ${n(month.days)} busy days`,
			...triggered(month),
			words: `Thirty days of a merchant with some 700 events a day, once for each way in which n8n keeps the trigger's state: ${n(month.polls)} polls with ${n(month.requests)} requests, ${n(month.restarts)} restarts of n8n, before and after a poll was stored, and ${n(month.renames)} renames. Outages last up to twelve hours, with 404, 429, 503 or answers that do not end; the clocks of the service and of this machine jump by up to 400 days for hours; totals are wrong for hours; rows vanish while they are read; old events are purged each night; pages fall from 100 rows to 50 and to 10. The state stays below 60,000 characters, a poll below 300 requests, their average below 10.`,
			file: 'test/trigger/month.test.ts',
		},
		...killRows,
		{
			hostility: `Charges: ${n(charges.scenarios)} scenarios`,
			asked: `${n(charges.asked)} charges asked for`,
			came: `${n(charges.made)} made; ${n(charges.leftOpen)} with an open outcome: ${n(charges.toldUnknown)} reported as unknown, ${n(charges.foundOut)} found out`,
			...{ faults: charges.faults, lost: charges.lost },
			...{ doubled: charges.doubled, unclear: charges.unclear },
			words: `${n(charges.runs)} runs on n8n's engine, ${n(charges.repeating)} of them with Retry On Fail, besides loops, executions at once, agents and cancels; and random mixtures of all that with late events, refunds reported twice, restarts, and an n8n database that fails or loses what was written. ${n(charges.requests)} requests to charge were sent; the other charges were refused by the node, not begun, or paid already. The service refused ${n(charges.refused)}. The outcome of ${n(charges.leftOpen)} was open: the answer was lost, late, without end, broken or not as described, after a charge or without one. The node found out about ${n(charges.foundOut)} of these from the events; of ${n(charges.toldUnknown)} it said that the outcome is unknown, not to send them again, and where to look. Of charges that were plainly refused, or not sent, it said so ${n(charges.falseAlarms)} times. The column Doubled counts these charges too. ${n(charges.unshown)} charges were made in runs that n8n ended because of another item or a cancel; n8n shows no output of such runs.`,
			file: 'test/resources/payment',
		},
		{
			hostility: `Lists: ${n(lists.lists)} that change while they are read`,
			asked: `${n(lists.rows)} rows that were there all along`,
			came: `${n(lists.rows - lists.missed)} read`,
			...{ faults: lists.changes, lost: lists.missed, doubled: lists.repeated },
			words:
				'Rows are inserted and deleted anywhere between two pages of Return All, while pages are read at once and their answers overtake each other.',
			file: 'test/gateway/paginate.test.ts',
		},
		{
			hostility: `Bad inputs: any value in any of ${n(inputs.places)} fields`,
			asked: `${n(inputs.values)} values tried`,
			came: `${n(inputs.worded)} items ended in clean errors; ${n(inputs.requests)} clean requests left`,
			unclear: inputs.unclear,
			words:
				"Each field of each operation is given values of each kind (no number, no text, nested 500 deep, 100,000 letters, half a letter, `__proto__`, …), alone and in mixtures. An error is clean when it names the field or is in the service's own words; a request is clean when each of its fields has the type that docs/service.md names. Anything else counts as unclear: a crash, a missing item, `undefined` in a message, a field of another type.",
			file: 'test/hostile.test.ts',
		},
		{
			hostility: 'Secrets: tokens, account numbers, card codes',
			asked: `${n(secrets.searches)} searches for a planted secret`,
			came: `${n(secrets.searches - secrets.found)} masked`,
			unclear: secrets.found,
			words:
				'Tokens, account numbers and security codes are planted in answers, errors and running text, in JSON, in URLs, spaced and escaped, and are looked for in all that leaves the nodes. What a charge stores and logs is searched in `test/resources/payment/commit.again.test.ts` and `commit.answer.test.ts`.',
			file: 'test/output/mask.test.ts',
		},
	];
}

function countedOn(kinds: ReadonlyArray<keyof Tallies>): string {
	const newest = Math.max(...kinds.flatMap(filesOf).map((file) => statSync(file).mtimeMs));
	return new Date(newest).toISOString().slice(0, 10);
}

function paragraphs(rows: readonly Row[], hasKills: boolean): string[] {
	const manifest = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
	const { version, devDependencies } = manifest('package.json');
	const on = `package ${version}, n8n-core ${devDependencies['n8n-core']}, Node ${process.version}`;
	const { n8n } = manifest('test/e2e/n8n/package.json').dependencies;
	const kills = hasKills
		? `n8n was killed on ${countedOn(KILLS.map(([kind]) => kind))}, in version ${n8n}.`
		: 'A real n8n was not killed: `npm run reliability -- --kills` does that as well.';
	const cell = (count: number | undefined) => (count === undefined ? '–' : n(count));
	return [
		'# Reliability in numbers',
		'Written by `npm run reliability`. The tests compare what the stand-in for the service has received and charged with what came out of the nodes; this table adds up what they have counted.',
		`${countedOn(['storm', 'month'])}, ${on}. ${kills}`,
		table(
			['Hostility', 'Faults', 'Input', 'Outcome', 'Lost', 'Doubled', 'Unclear'],
			rows.map(({ hostility, faults, asked, came, lost, doubled, unclear }) => [
				...[hostility, cell(faults), asked, came],
				...[lost, doubled, unclear].map(cell),
			]),
			['Input', 'Outcome'],
		),
		[
			'- **Lost**: an event that should have fired and did not; a charge that the node reported and the service did not make; a row that was there all along and was missed.',
			'- **Doubled**: an event that fired twice; a reference that was charged twice (without "Allow Repeat Charge", also after a refund); a row that came twice.',
			'- **Unclear**: an event that fired without having been sent; a charge whose outcome was open, without the node saying so; anything but a clean error or a clean request; a secret that was found.',
		].join('\n'),
		'## What was done',
		rows
			.map(({ hostility, words, file }) => `- **${hostility}.** ${words} ([${file}](../${file}))`)
			.join('\n'),
	];
}

/** Runs tests; what they, or the kills of a real n8n, have counted before is forgotten. */
function counting(isOfKills: boolean, ...args: string[]): boolean {
	const names = readdirSync(FOLDER).filter((name) => name.startsWith('kills') === isOfKills);
	for (const name of names) rmSync(join(FOLDER, name));
	const env = { ...process.env, ...AT_LENGTH, TALLY_FOLDER: FOLDER };
	const jest = ['--no-install', 'jest', ...args];
	return spawnSync('npx', jest, { cwd: ROOT, env, stdio: 'inherit' }).status === 0;
}

function runAll(withKills: boolean): boolean {
	const isPassed = counting(false, ...SUITES);
	if (!withKills) return isPassed;
	return counting(true, '-c', 'test/e2e/jest.config.js', 'crash') && isPassed;
}

async function report(given: { kills?: boolean; 'add-up'?: boolean }): Promise<number> {
	mkdirSync(FOLDER, { recursive: true });
	const isPassed = given['add-up'] === true || runAll(given.kills === true);
	const killRows = KILLS.flatMap(killRow);
	const rows = allRows(killRows);
	const text = await page(paragraphs(rows, killRows.length > 0), OUT);
	process.stdout.write(`\n${text}`);
	if (!isPassed) throw new Error(`A test did not pass: ${OUT} stays as it was.`);
	// What `npm run mutation` writes at the end of the page stays as it is.
	const [, mutation = ''] = readFileSync(OUT, 'utf8').split(/(?=\n## What the tests notice\n)/);
	writeFileSync(OUT, text + mutation);
	const wrong = rows.flatMap(({ lost = 0, doubled = 0, unclear = 0 }) => lost + doubled + unclear);
	return wrong.some((count) => count > 0) ? 1 : 0;
}

const options = { kills: { type: 'boolean' }, 'add-up': { type: 'boolean' } } as const;
command(USAGE, () => parseArgs({ options }).values, report);
