import { existsSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { asMarkdown, asText, machine } from './report';
import type { Bench, Line, Row } from './row';
import { customers } from './rows/customers';
import { events } from './rows/events';
import { loading } from './rows/loading';
import { reads } from './rows/reads';
import { tarball } from './rows/tarball';
import { costs, drainMemory, drainRow, idlePoll } from './rows/trigger';
import { upserts } from './rows/upserts';
import { Service } from './service';
import { Subject } from './subject';

const ROWS: readonly Row[] = [customers, reads, upserts, events, loading, tarball];
const TRIGGER_ROWS: readonly Row[] = [idlePoll, drainRow, drainMemory, costs];
const ALL = [...ROWS, ...TRIGGER_ROWS];

const USAGE = `Usage: npm run bench -- [--only <name>] [--quick] [--full] [--runs <number>] [--out <file>]

Measures the built package beside the usual ways, against the sandbox in a process of its own.

  --only <name>     one row, or several with commas: ${ALL.map(({ name }) => name).join(', ')}
  --quick           small lists and one round: shows that all works, not how fast it is
  --full            customers: every size at every latency
  --runs <number>   rounds of each comparison (default 7)
  --out <file>      writes the table as Markdown, with machine, Node version and date
  --package <dir>   measures the build in another directory than this one
  --help            prints this`;

interface Options {
	rows: readonly Row[];
	isQuick: boolean;
	isFull: boolean;
	rounds: number;
	out: string | undefined;
	source: string | undefined;
}

class UsageError extends Error {}

function chosen(only: string | undefined): readonly Row[] {
	if (only === undefined) return ALL;
	const names = only.split(',').map((name) => name.trim());
	return names.map((name) => {
		const row = ALL.find((each) => each.name === name);
		if (row) return row;
		const known = ALL.map((each) => each.name).join(', ');
		throw new UsageError(`--only knows no row "${name}". There are: ${known}`);
	});
}

function readOptions(): Options | 'help' {
	let values;
	try {
		({ values } = parseArgs({
			options: {
				only: { type: 'string' },
				quick: { type: 'boolean', default: false },
				full: { type: 'boolean', default: false },
				runs: { type: 'string' },
				out: { type: 'string' },
				package: { type: 'string' },
				help: { type: 'boolean', default: false },
			},
		}));
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
	if (values.help) return 'help';
	const { quick: isQuick, full: isFull } = values;
	if (isQuick && isFull) throw new UsageError('--quick and --full exclude each other');
	const rounds = values.runs ?? (isQuick ? '1' : '7');
	if (!/^[1-9]\d?$/.test(rounds)) {
		throw new UsageError(`--runs takes a whole number from 1 to 99, not "${rounds}"`);
	}
	const out = values.out === undefined ? undefined : resolve(values.out);
	if (out !== undefined && !existsSync(dirname(out))) {
		throw new UsageError(`--out: there is no directory ${dirname(out)}`);
	}
	const source = values.package === undefined ? undefined : resolve(values.package);
	return { rows: chosen(values.only), isQuick, isFull, rounds: Number(rounds), out, source };
}

function progressOf(row: Row): (words: string) => void {
	const line = (words: string) => `${row.title}: ${words}`;
	if (!process.stderr.isTTY) return (words) => process.stderr.write(`${line(words)}\n`);
	return (words) => process.stderr.write(`\r\u001b[K${line(words)}`);
}

async function measure(options: Options): Promise<Line[]> {
	const { isQuick, isFull, rounds } = options;
	const subject = Subject.copy(options.source);
	try {
		const service = await Service.start();
		try {
			const lines: Line[] = [];
			for (const row of options.rows) {
				if (TRIGGER_ROWS.includes(row) && !subject.hasTrigger) {
					lines.push({ what: row.title, measured: 'not measured: the trigger is not built' });
					continue;
				}
				const progress = progressOf(row);
				progress('begins');
				const bench: Bench = { subject, service, rounds, isQuick, isFull, progress };
				lines.push(...(await row.run(bench)));
			}
			return lines;
		} finally {
			service.close();
		}
	} finally {
		subject.remove();
	}
}

async function main(): Promise<number> {
	let options: Options | 'help';
	try {
		options = readOptions();
	} catch (error) {
		if (!(error instanceof UsageError)) throw error;
		process.stderr.write(`${error.message}\n\n${USAGE}\n`);
		return 2;
	}
	if (options === 'help') {
		process.stdout.write(`${USAGE}\n`);
		return 0;
	}
	const started = performance.now();
	const lines = await measure(options);
	const seconds = Math.round((performance.now() - started) / 1000);
	const rounds = options.rounds === 1 ? 'one round' : `${options.rounds} rounds`;
	const settings = `${options.isQuick ? 'Quick, ' : ''}${rounds} of each comparison.`;
	if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
	process.stdout.write(`\nNode ${process.version}, ${machine()}\n${settings} ${seconds} s.\n\n`);
	process.stdout.write(`${asText(lines)}\n`);
	if (options.out !== undefined) writeFileSync(options.out, asMarkdown(lines, settings));
	return lines.some(({ isMet }) => isMet === false) ? 1 : 0;
}

main().then(
	(code) => process.exit(code),
	(error: unknown) => {
		process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
		process.exit(1);
	},
);
