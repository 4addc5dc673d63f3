import { availableParallelism, cpus, totalmem } from 'node:os';

import { page, table } from '../report/markdown';
import type { Findings } from './frame';

/** Writes what the bench has found, as Markdown: to the terminal, and to docs/benchmarks.md. */

export interface Report {
	findings: readonly Findings[];
	isQuick: boolean;
	/** Versions of what it ran on. */
	versions: string;
	/** The load average before the first row: well above 0, other work has disturbed the figures. */
	load: number;
	seconds: number;
}

const HOW =
	"All rivals run in turn, in each round in another order, on the same engine of n8n and against the same sandbox, which is a process of its own and delays every answer by the latency that is named. Times are medians; ratios are taken round by round and are medians too. The sequential loop is what nodes usually have: one request after another over n8n's request helper. The HTTP Request node of n8n comes with its own pagination, and uses the credential of this package. For all rivals, expressions are evaluated without the isolate that n8n puts around them.";

function circumstances({ versions, isQuick, load, seconds }: Report): string {
	const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
	const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`;
	return [
		`- ${machine}, ${memory}, ${process.platform} ${process.arch}`,
		`- Node ${process.version}, ${versions}`,
		`- Took ${seconds} s; the load average before it was ${load.toFixed(1)}.`,
		...(isQuick ? ['- A quick run: it shows that all works, not how fast it is.'] : []),
	].join('\n');
}

function targets(findings: readonly Findings[]): string[] {
	const all = findings.flatMap((each) => each.targets);
	if (all.length === 0) return [];
	const missed = all.filter(({ isMet }) => !isMet);
	const words = missed.map(({ what, reason }) => `- ${[what, reason].filter(Boolean).join(': ')}`);
	return [
		'## Targets',
		`${all.length - missed.length} of ${all.length} targets are met.`,
		...(missed.length > 0 ? [`Missed:\n\n${words.join('\n')}`] : []),
		table(
			['Target', 'Wanted', 'Measured', 'Met'],
			all.map(({ what, wanted, measured, isMet }) => [
				...[what, wanted, measured],
				isMet ? 'yes' : 'NO',
			]),
		),
	];
}

export async function markdown(report: Report, file: string): Promise<string> {
	const parts = [
		'# Benchmarks',
		`Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run bench\`:`,
		circumstances(report),
		HOW,
		...targets(report.findings),
		...report.findings.flatMap(({ title, head, body, note = '' }) => [
			...[`## ${title}`, table(head, body), note],
		]),
	];
	return await page(parts, file);
}
