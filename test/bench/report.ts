import { cpus, totalmem } from 'node:os';

import type { Line } from './row';

function verdict({ isMet }: Line): string {
	if (isMet === undefined) return '';
	return isMet ? 'ok' : 'MISSED';
}

function cells(line: Line): string[] {
	return [line.what, line.measured, line.target ?? '', verdict(line)];
}

const HEAD = ['What', 'Measured', 'Target', ''];

export function asText(lines: readonly Line[]): string {
	const rows = [HEAD, ...lines.map(cells)];
	const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
	const line = (row: readonly string[]) =>
		row
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join('  ')
			.trimEnd();
	const [head = [], ...body] = rows;
	return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(line)].join(
		'\n',
	);
}

export function machine(): string {
	const [first] = cpus();
	const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
	return `${cpus().length} × ${first?.model.trim() ?? 'unknown processor'}, ${memory}, ${process.platform} ${process.arch}`;
}

export function asMarkdown(lines: readonly Line[], settings: string): string {
	const row = (row: readonly string[]) =>
		`| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
	return [
		'# Benchmark',
		'',
		`${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${machine()}.`,
		settings,
		'',
		'All rivals ran in turn against the same sandbox process; figures are medians. "The usual loop" is one request after another over n8n\'s own request helper, on the same engine.',
		'',
		row(HEAD),
		row(HEAD.map(() => '---')),
		...lines.map((line) => row(cells(line))),
		'',
	].join('\n');
}
