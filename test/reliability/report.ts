import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { page, table } from '../report/markdown';

/**
 * Runs the hostile tests at length, adds up what they have counted (`tally.ts`), and writes
 * docs/reliability.md: npm run reliability [-- --kills | --add-up]
 *
 *   --kills    also kills a real n8n anew; without it, the counts of the last time are taken, if any
 *   --add-up   runs nothing: writes the table of what was counted last
 */
const { values: wanted } = parseArgs({
	options: { kills: { type: 'boolean' }, 'add-up': { type: 'boolean' } },
});

const ROOT = resolve(__dirname, '../..');
const FOLDER = join(ROOT, '.n8n/tally');
const OUT = join(ROOT, 'docs/reliability.md');

const SUITES = [
	'test/trigger/(storm|month|schedules)',
	'test/resources/payment/(charge|claims)',
	'test/gateway/list',
	'test/hostile',
	'test/output/mask',
];
/** As many as two cores do in some five minutes. */
const AT_LENGTH = {
	FC_SEED: 'random',
	STORM_RUNS: '5000',
	SCHEDULE_LENGTH: '6',
	MONTH_DAYS: '30',
	CHARGE_STORMS: '150',
	CLAIM_RUNS: '5000',
	MOVING_LISTS: '5000',
	HOSTILE_MIXTURES: '50',
	MASKED_NUMBERS: '10000',
};

/** Names in braces stand for what the tests of that kind have counted. */
interface Row {
	kind: string;
	hostility: string;
	/** What counts as a fault, if anything. */
	faults?: string[];
	asked: string;
	came: string;
	/** What was done, in a sentence or two, and where. */
	words: string;
	file: string;
}

/** What the random schedules and the busy days of the trigger have in common. */
const TRIGGERED = {
	faults: ['failures', 'moves', 'oddities', 'clocks', 'renames'],
	asked: '{sent} events sent',
	came: '{fired} fired; {purgedUnseen} purged unseen, {tooLate} too late',
};

/** A way of n8n to keep the trigger's state, with where the README names a limit of it. */
const killed = (way: string, where: string): Row => ({
	kind: `kills with ${way}`,
	hostility: `Trigger: a real n8n is killed, with ${way}`,
	faults: ['kills'],
	asked: '{sent} events sent',
	came: '{fired} fired',
	words: `\`kill -9\` between polls, while a poll waits for its answer, while it hands its events over, and right after an activation, with payments going on meanwhile. ${where}, where the README names a limit, {lostInWindow} more were lost and {doubledInWindow} doubled.`,
	file: 'test/e2e/crash.e2e.ts',
});

const ROWS: readonly Row[] = [
	{
		kind: 'storm',
		hostility: 'Trigger: {schedules} random schedules',
		...TRIGGERED,
		words:
			'{polls} polls, {restarts} restarts and {renames} renames of the trigger against a list of events in bad weather: {failures} requests failed, were refused for a while or did not end in time; {clocks} times the clock of this machine jumped by up to 400 days; {moves} times the list changed while it was read; and {oddities} times events came late, were dated ahead, were listed twice or were purged, rows were no events, or the total went missing. Some gateways also send no Date header, serve smaller pages than asked for or refuse large ones, show their last page again or refuse what lies behind it, or answer first with an empty list. An event that the gateway purged before a poll came, or that appeared outside of the look-back or not among the 1,000 newest, need not fire; all others must, once.',
		file: 'test/trigger/storm.test.ts',
	},
	{
		kind: 'month',
		hostility: 'Trigger: {days} busy days',
		...TRIGGERED,
		words:
			"Thirty days of a merchant with some 700 events a day, once for each way in which n8n keeps the trigger's state: {polls} polls with {requests} requests, {restarts} restarts of n8n, before and after a poll was stored, and {renames} renames. Outages last up to twelve hours, with 429, 503 or answers that do not end; the clock of this machine jumps by up to 400 days for hours; totals go missing for hours; old events are purged each night; pages fall from 100 rows to 50 and to 10. The state stays below 60,000 characters, a poll below 300 requests, their average below 10.",
		file: 'test/trigger/month.test.ts',
	},
	{
		kind: 'schedules',
		hostility: 'Trigger: all {schedules} schedules of a small world',
		asked: '{sent} events sent',
		came: '{fired} fired',
		words:
			'Each order of six actions, with a poll after each, on pages of two rows, where one event fires a poll and six or twelve can be remembered, with a count and without one: an event comes, three of one moment, one late by a step or by two, one of the future, one while the oldest is removed, one while page 2 fails, one while n8n starts anew from what it has stored, or nothing. Schedules that lead to the same list and state go on as one.',
		file: 'test/trigger/schedules.test.ts',
	},
	killed('the default engine', "Between a poll's answer and its executions"),
	killed('durable cursors', 'Right after an activation'),
	killed(
		'the scheduler without durable cursors',
		"Right after an activation, and between a poll's answer and its executions",
	),
	{
		kind: 'charges',
		hostility: 'Charges: {scenarios} scenarios',
		faults: ['faults'],
		asked: '{asked} charges asked for',
		came: '{made} made; {leftOpen} with an open outcome: {toldUnknown} reported as unknown, {foundOut} found out',
		words:
			"{runs} runs on n8n's engine, {repeating} of them with Retry On Fail, besides loops, executions at once, agents and cancels; and random mixtures of all that with late events, refunds reported twice, restarts, and an n8n database that fails or loses what was written. {requests} requests to charge were sent; the other charges were refused by the node, not begun, or paid already. The gateway refused {refused}. The outcome of {leftOpen} was open: the answer was lost, late, without end, broken or not as described, after a charge or without one. The node found out about {foundOut} of these from the events; of {toldUnknown} it said that the outcome is unknown, not to send them again, and where to look. Of charges that were plainly refused, or not sent, it said so {falseAlarms} times. The column Doubled counts these charges too. {unshown} charges were made in runs that n8n ended because of another item or a cancel; n8n shows no output of such runs.",
		file: 'test/resources/payment',
	},
	{
		kind: 'lists',
		hostility: 'Lists: {lists} that change while they are read',
		faults: ['changes'],
		asked: '{rows} rows that were there all along',
		came: '{read} read',
		words:
			'Rows are inserted and deleted anywhere between two pages of Return All, while pages are read at once and their answers overtake each other.',
		file: 'test/gateway/paginate.test.ts',
	},
	{
		kind: 'inputs',
		hostility: 'Bad inputs: any value in any of {places} fields',
		asked: '{values} values tried',
		came: '{worded} items ended in clean errors; {requests} clean requests left',
		words:
			"Each field of each operation is given values of each kind (no number, no text, nested 500 deep, 100,000 letters, half a letter, `__proto__`, …), alone and in mixtures. An error is clean when it names the field or is in the gateway's own words; a request is clean when each of its fields has the type that docs/service.md names. Anything else counts as unclear: a crash, a missing item, `undefined` in a message, a field of another type.",
		file: 'test/hostile.test.ts',
	},
	{
		kind: 'secrets',
		hostility: 'Secrets: tokens, account numbers, card codes',
		asked: '{searches} searches for a planted secret',
		came: '{masked} masked',
		words:
			'Tokens, account numbers and security codes are planted in answers, errors and running text, in JSON, in URLs, spaced and escaped, and are looked for in all that leaves the nodes. What a charge stores and logs is searched in `test/resources/payment/charge.again.test.ts` and `commit.answer.test.ts`.',
		file: 'test/output/mask.test.ts',
	},
];

const isOfKills = (name: string) => name.startsWith('kills');
const filesOf = (kind: string) => readdirSync(FOLDER).filter((name) => name.startsWith(kind));

function countedOn(...kinds: string[]): string {
	const times = kinds.flatMap(filesOf).map((name) => statSync(join(FOLDER, name)).mtimeMs);
	return new Date(Math.max(...times)).toISOString().slice(0, 10);
}

/** A row with what was counted for it. A real n8n need not have been killed. */
function counted(row: Row) {
	const files = filesOf(`${row.kind}.`);
	if (files.length === 0 && isOfKills(row.kind)) return [];
	const sum: Record<string, number> = {};
	const text = files.map((name) => readFileSync(join(FOLDER, name), 'utf8')).join('');
	for (const line of text.split('\n').filter(Boolean)) {
		for (const [name, count] of Object.entries(JSON.parse(line))) {
			sum[name] = (sum[name] ?? 0) + Number(count);
		}
	}
	const of = (name: string) => {
		const count = sum[name];
		if (count === undefined) throw new Error(`No test has counted "${name}" for "${row.kind}"`);
		return count;
	};
	const filled = (text: string) =>
		text.replace(/\{(\w+)\}/g, (_, name: string) => of(name).toLocaleString('en-US'));
	const faults = row.faults?.reduce((all, name) => all + of(name), 0);
	return [{ row, filled, counts: [faults, sum.lost, sum.doubled, sum.unclear] }];
}

/** Runs tests; what they, or the kills of a real n8n, have counted before is forgotten. */
function run(areKills: boolean, ...args: string[]): boolean {
	const names = readdirSync(FOLDER).filter((name) => isOfKills(name) === areKills);
	for (const name of names) rmSync(join(FOLDER, name));
	const env = { ...process.env, ...AT_LENGTH, TALLY_FOLDER: FOLDER };
	const jest = ['--no-install', 'jest', ...args];
	return spawnSync('npx', jest, { cwd: ROOT, env, stdio: 'inherit' }).status === 0;
}

async function report(): Promise<number> {
	mkdirSync(FOLDER, { recursive: true });
	const passed = wanted['add-up'] ? [] : [run(false, ...SUITES)];
	if (wanted.kills) passed.push(run(true, '-c', 'test/e2e/jest.config.js', 'crash'));
	const rows = ROWS.flatMap(counted);
	const manifest = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
	const { version, devDependencies } = manifest('package.json');
	const { n8n } = manifest('test/e2e/n8n/package.json').dependencies;
	const kills = rows.some(({ row }) => isOfKills(row.kind))
		? `n8n was killed on ${countedOn('kills')}, in version ${n8n}.`
		: 'A real n8n was not killed: `npm run reliability -- --kills` does that as well.';
	const text = await page(
		[
			'# Reliability in numbers',
			'Written by `npm run reliability`. The tests compare what the stand-in for the gateway has received and charged with what came out of the nodes; this table adds up what they have counted.',
			`${countedOn('storm', 'month')}, package ${version}, n8n-core ${devDependencies['n8n-core']}, Node ${process.version}. ${kills}`,
			table(
				['Hostility', 'Faults', 'Input', 'Outcome', 'Lost', 'Doubled', 'Unclear'],
				rows.map(({ row, filled, counts }) => {
					const [faults = '–', ...wrong] = counts.map(
						(count) => count?.toLocaleString('en-US') ?? '–',
					);
					return [filled(row.hostility), faults, filled(row.asked), filled(row.came), ...wrong];
				}),
				['Input', 'Outcome'],
			),
			`- **Lost**: an event that should have fired and did not; a charge that the node reported and the gateway did not make; a row that was there all along and was missed.
- **Doubled**: an event that fired twice; a reference that was charged twice (without "Allow Repeat Charge", also after a refund); a row that came twice.
- **Unclear**: an event that fired without having been sent; a charge whose outcome was open, without the node saying so; anything but a clean error or a clean request; a secret that was found.`,
			'## What was done',
			rows
				.map(({ row: { hostility, words, file }, filled }) =>
					filled(`- **${hostility}.** ${words} ([${file}](../${file}))`),
				)
				.join('\n'),
		],
		OUT,
	);
	process.stdout.write(`\n${text}`);
	if (passed.includes(false)) throw new Error(`A test did not pass: ${OUT} stays as it was.`);
	// What `npm run mutation` writes at the end of the page stays as it is.
	const [, mutation = ''] = readFileSync(OUT, 'utf8').split(/(?=\n## What the tests notice\n)/);
	writeFileSync(OUT, text + mutation);
	return rows.some(({ counts: [, ...wrong] }) => wrong.some(Boolean)) ? 1 : 0;
}

void report().then((code) => process.exit(code));
