import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

import { format, resolveConfig } from 'prettier';

import type { Findings, Table, Target } from './row';
import { GROWTH } from './row';

/** Writes what the bench has found: as text for the terminal, as Markdown, as JSON. */

export interface Report {
	findings: readonly Findings[];
	/** What was asked for, in sentences. */
	settings: string;
	/** Versions of what was measured, and of what it ran on. */
	versions: string;
	/** The load average before the first row: well above 0, other work has disturbed the figures. */
	load: number;
	seconds: number;
}

type Cells = readonly string[];

export function load(): number {
	return loadavg()[0] ?? NaN;
}

function machine(): string {
	const [first] = cpus();
	const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
	return `${availableParallelism()} × ${first?.model.trim() ?? 'unknown processor'}, ${memory}, ${process.platform} ${process.arch}`;
}

function circumstances({ versions, settings, load, seconds }: Report): string[] {
	const took = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;
	return [
		machine(),
		`Node ${process.version}, ${versions}`,
		`${settings} Took ${took}; the load average before it was ${load.toFixed(1)}.`,
	];
}

const TARGETS: Cells = ['Target', 'Wanted', 'Measured', 'Met'];

function targetCells({ what, target, measured, isMet }: Target): Cells {
	return [what, target, measured, isMet ? 'yes' : 'NO'];
}

function targetsOf(findings: readonly Findings[]): Target[] {
	return findings.flatMap(({ targets = [] }) => targets);
}

function inShort(targets: readonly Target[]): string {
	const missed = targets.filter(({ isMet }) => !isMet);
	if (missed.length === 0) return `All ${targets.length} targets are met.`;
	const names = missed.map(({ what, reason }) => `- ${[what, reason].filter(Boolean).join(': ')}`);
	return `${targets.length - missed.length} of ${targets.length} targets are met. Missed:\n\n${names.join('\n')}`;
}

/** Tables by their headings; the tables about growth, which several rows have, come last. */
function grouped(findings: readonly Findings[]): Array<[string, Table[]]> {
	const groups = new Map<string, Table[]>();
	for (const table of findings.flatMap(({ tables }) => tables)) {
		const group = groups.get(table.title) ?? [];
		const before = group.at(-1);
		// A table with the same columns as the one before it becomes more lines of that one.
		const continues =
			before !== undefined &&
			table.caption === undefined &&
			before.head.join() === table.head.join();
		if (continues) group[group.length - 1] = { ...before, body: [...before.body, ...table.body] };
		else group.push(table);
		groups.set(table.title, group);
	}
	const last = groups.get(GROWTH);
	groups.delete(GROWTH);
	return last === undefined ? [...groups] : [...groups, [GROWTH, last]];
}

function columns(head: Cells, body: readonly Cells[]): string {
	const rows = [head, ...body];
	const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
	const line = (row: Cells) =>
		head
			.map((_, column) => (row[column] ?? '').padEnd(widths[column] ?? 0))
			.join('  ')
			.trimEnd();
	return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(line)].join(
		'\n',
	);
}

export function asText(report: Report): string {
	const tables = grouped(report.findings).flatMap(([title, tables]) =>
		tables.map(({ caption, head, body, note }) =>
			[[title, caption].filter(Boolean).join('. '), columns(head, body), note]
				.filter(Boolean)
				.join('\n'),
		),
	);
	const targets = targetsOf(report.findings);
	if (targets.length > 0) tables.push(columns(TARGETS, targets.map(targetCells)));
	return [circumstances(report).join('\n'), ...tables].join('\n\n');
}

function markdownTable(head: Cells, body: readonly Cells[]): string {
	const row = (cells: Cells) =>
		`| ${head.map((_, column) => (cells[column] ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
	const alignments = head.map((_, column) => (column === 0 ? '---' : '---:'));
	return [row(head), row(alignments), ...body.map(row)].join('\n');
}

/** Formatted as the repository wants its documents, or its own check would refuse the file. */
export async function asMarkdown(report: Report, file: string): Promise<string> {
	const targets = targetsOf(report.findings);
	const parts = [
		'# Benchmarks',
		`Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run bench\`:`,
		circumstances(report)
			.map((line) => `- ${line}`)
			.join('\n'),
		"All rivals run in turn, in each round in another order, on the same engine of n8n and against the same sandbox, which is a process of its own and delays every answer by the latency that is named. Times are medians; ratios are taken round by round and are medians too. The sequential loop is what nodes usually have: one request after another over n8n's request helper. Bare axios, which keeps its connections and does nothing else, shows what is possible at all. The HTTP Request node of n8n comes with its own pagination, and uses the credential of this package. For all rivals, expressions are evaluated without the isolate that n8n puts around them.",
	];
	if (targets.length > 0) {
		parts.push('## Targets', inShort(targets));
		parts.push(markdownTable(TARGETS, targets.map(targetCells)));
	}
	for (const [title, tables] of grouped(report.findings)) {
		parts.push(`## ${title}`);
		for (const { caption, head, body, note } of tables) {
			parts.push(
				...[caption, markdownTable(head, body), note].filter((part) => part !== undefined),
			);
		}
	}
	const config = await resolveConfig(file);
	return await format(`${parts.join('\n\n')}\n`, { ...config, parser: 'markdown' });
}

/** For programs: the same figures, and the circumstances under which they were taken. */
export async function asJson(report: Report, file: string): Promise<string> {
	const result = {
		date: new Date().toISOString().slice(0, 10),
		circumstances: circumstances(report),
		targets: targetsOf(report.findings),
		tables: report.findings.flatMap(({ tables }) => tables),
		comparisons: report.findings.flatMap(({ bars = [] }) => bars),
	};
	const config = await resolveConfig(file);
	return await format(JSON.stringify(result), { ...config, parser: 'json' });
}
