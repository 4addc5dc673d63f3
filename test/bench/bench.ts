import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import type { HttpRequestNode } from './httpRequest';
import { httpRequestNode, NOT_INSTALLED } from './httpRequest';
import { chart } from './chart';
import type { Report } from './report';
import { asJson, asMarkdown, asText, load } from './report';
import type { Bench, Findings, Row } from './row';
import { commits } from './rows/commits';
import { customers } from './rows/customers';
import { events } from './rows/events';
import { limits } from './rows/limits';
import { loading } from './rows/loading';
import { reads } from './rows/reads';
import { tarball } from './rows/tarball';
import { costs, drainMemory, drainRow, idlePoll } from './rows/trigger';
import { upserts } from './rows/upserts';
import { Service } from './service';
import { Subject } from './subject';

/**
 * The command `npm run bench`: reads its options, measures the rows one after another, and writes
 * the report. It ends with 1 when a target is missed.
 */

/** In the order of the report. */
const ALL: readonly Row[] = [
	customers,
	reads,
	upserts,
	limits,
	commits,
	idlePoll,
	drainRow,
	costs,
	events,
	drainMemory,
	loading,
	tarball,
];
const TRIGGER_ROWS: readonly Row[] = [idlePoll, drainRow, costs, drainMemory];

const USAGE = `Usage: npm run bench -- [--only <name>] [--quick] [--full] [--runs <number>] [--out <file>]

Measures the built package beside the usual ways, against the sandbox in a process of its own.

  --only <name>     one row, or several with commas: ${ALL.map(({ name }) => name).join(', ')}
  --quick           small lists and one round: shows that all works, not how fast it is
  --full            every size at every latency, and the longest drain: about 15 minutes
  --runs <number>   rounds of each comparison at most (default 7); long ones take 3
  --out <file>      writes a report as Markdown, with machine, versions and date
  --json <file>     writes what was found as JSON
  --chart <file>    draws the comparisons as an SVG
  --package <dir>   measures the build in another directory than this one
  --help            prints this`;

interface Options {
	rows: readonly Row[];
	isQuick: boolean;
	isFull: boolean;
	rounds: number;
	out: string | undefined;
	json: string | undefined;
	chart: string | undefined;
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
				json: { type: 'string' },
				chart: { type: 'string' },
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
	const fileOf = (name: 'out' | 'json' | 'chart') => {
		const given = values[name];
		const file = given === undefined ? undefined : resolve(given);
		if (file !== undefined && !existsSync(dirname(file))) {
			throw new UsageError(`--${name}: there is no directory ${dirname(file)}`);
		}
		return file;
	};
	const [out, json, picture] = [fileOf('out'), fileOf('json'), fileOf('chart')];
	const source = values.package === undefined ? undefined : resolve(values.package);
	return {
		rows: chosen(values.only),
		isQuick,
		isFull,
		rounds: Number(rounds),
		out,
		json,
		chart: picture,
		source,
	};
}

function progressOf(row: Row): (words: string) => void {
	const line = (words: string) => `${row.title}: ${words}`;
	if (!process.stderr.isTTY) return (words) => process.stderr.write(`${line(words)}\n`);
	return (words) => process.stderr.write(`\r\u001b[K${line(words)}`);
}

async function measure(
	{ rows, source, ...options }: Options,
	http: HttpRequestNode | undefined,
): Promise<Findings[]> {
	const subject = Subject.copy(source, http);
	try {
		const service = await Service.start();
		try {
			const findings: Findings[] = [];
			for (const row of rows) {
				if (TRIGGER_ROWS.includes(row) && !subject.hasTrigger) {
					const body = [['not measured: the trigger is not built']];
					findings.push({ tables: [{ title: row.title, head: [''], body }] });
					continue;
				}
				const progress = progressOf(row);
				progress('begins');
				const bench: Bench = { ...options, subject, service, progress };
				const { tables, targets, bars } = await row.run(bench);
				// Small lists say nothing about targets that were set for large ones.
				findings.push({
					tables,
					...(bars && { bars }),
					...(options.isQuick || targets === undefined ? {} : { targets }),
				});
			}
			return findings;
		} finally {
			service.close();
		}
	} finally {
		subject.remove();
	}
}

function versions(http: HttpRequestNode | undefined): string {
	const core = createRequire(__filename).resolve('n8n-core/package.json');
	const { version } = JSON.parse(readFileSync(core, 'utf8')) as { version: string };
	const node = http
		? `HTTP Request node ${String(http.type.description.defaultVersion)} of n8n-nodes-base ${http.version}`
		: `HTTP Request node ${NOT_INSTALLED}`;
	return `n8n-core ${version}, ${node}`;
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
	const before = load();
	const started = performance.now();
	const http = httpRequestNode();
	const findings = await measure(options, http);
	const rounds = options.rounds === 1 ? 'One round' : `Up to ${options.rounds} rounds`;
	const quick = options.isQuick ? 'A quick run: it shows that all works, not how fast it is. ' : '';
	const report: Report = {
		findings,
		settings: `${quick}${rounds} of each comparison.`,
		versions: versions(http),
		load: before,
		seconds: Math.round((performance.now() - started) / 1000),
	};
	if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
	process.stdout.write(`\n${asText(report)}\n`);
	if (options.out !== undefined) {
		writeFileSync(options.out, await asMarkdown(report, options.out));
	}
	if (options.json !== undefined) writeFileSync(options.json, await asJson(report, options.json));
	if (options.chart !== undefined) {
		writeFileSync(options.chart, chart(findings.flatMap(({ bars = [] }) => bars)));
	}
	const targets = findings.flatMap(({ targets = [] }) => targets);
	return targets.some(({ isMet }) => !isMet) ? 1 : 0;
}

main().then(
	(code) => process.exit(code),
	(error: unknown) => {
		process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
		process.exit(1);
	},
);
