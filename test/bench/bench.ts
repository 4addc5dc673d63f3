import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { command } from '../report/command';
import { page, table } from '../report/markdown';
import { Subject } from './frame';
import type { Findings, Row } from './frame';
import { httpRequestNode } from './rivals';
import { drainMemory, listMemory } from './rows/memory';
import { loading, tarball } from './rows/package';
import { customers, limits, reads } from './rows/reads';
import { backlog, idle } from './rows/trigger';
import { commits, upserts } from './rows/writes';
import { Service } from './service';

/**
 * The command `npm run bench`: measures the built package beside the usual ways, against the sandbox
 * in a process of its own, and ends with 1 when a target is missed. The HTTP Request node comes from
 * the n8n that `npm start` installs.
 */

const ROWS: Readonly<Record<string, Row>> = {
	...{ customers, reads, upserts, limits, commits, idle, drain: backlog },
	...{ events: listMemory, 'drain-memory': drainMemory, loading, tarball },
};

const USAGE = `Usage: npm run bench -- [--only <names>] [--quick] [--out <file>]

  --only <names>   rows, with commas between: ${Object.keys(ROWS).join(', ')}
  --quick          small lists and one round: shows that all works, not how fast it is
  --out <file>     writes the report there as well, as docs/benchmarks.md`;

function options() {
	const { values } = parseArgs({
		options: {
			only: { type: 'string', default: Object.keys(ROWS).join() },
			quick: { type: 'boolean', default: false },
			out: { type: 'string' },
		},
	});
	const rows = values.only.split(',').map((name): [string, Row] => {
		const row = ROWS[name.trim()];
		if (row === undefined) throw new Error(`there is no row "${name}"`);
		return [name, row];
	});
	return { rows, isQuick: values.quick, out: values.out && resolve(values.out) };
}

const HOW =
	"All rivals run in turn, in each round in another order, on the same engine of n8n and against the same sandbox, which is a process of its own and delays every answer by the latency that is named. Times are medians; ratios are taken round by round and are medians too: below 1× this package was quicker. The sequential loop is what nodes usually have: one request after another over n8n's request helper. The HTTP Request node of n8n comes with its own pagination, and uses the credential of this package. For all rivals, expressions are evaluated without the isolate that n8n puts around them.";

function circumstances({ type, version }: ReturnType<typeof httpRequestNode>): string[] {
	const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
	const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`;
	const core = createRequire(__filename)('n8n-core/package.json') as { version: string };
	const http = `${String(type.description.defaultVersion)} of n8n-nodes-base ${version}`;
	return [
		`- ${machine}, ${memory}, ${process.platform} ${process.arch}`,
		`- Node ${process.version}, n8n-core ${core.version}, HTTP Request node ${http}`,
	];
}

/** How many targets are met, and which are not; nothing where there are none. */
function targets(findings: readonly Findings[]): string[] {
	const all = findings.flatMap(({ title, figures }) =>
		figures.flatMap(({ wanted, ...figure }) =>
			wanted === undefined ? [] : [{ title, ...figure }],
		),
	);
	const missed = all.filter(({ isMet }) => !isMet);
	const words = missed.map(({ title, what, reason = '' }) =>
		[`- ${title}: ${what}`, reason].filter(Boolean).join('. '),
	);
	const met = `${all.length - missed.length} of ${all.length} targets are met.${missed.length > 0 ? ' Missed:' : ''}`;
	return all.length === 0 ? [] : ['## Targets', met, words.join('\n')];
}

const HEAD = ['', 'Measured', 'Wanted', 'Met'];

async function bench({ rows, isQuick, out }: ReturnType<typeof options>): Promise<number> {
	// Well above 0, other work has disturbed the figures.
	const [load = NaN] = loadavg();
	const started = performance.now();
	const http = httpRequestNode();
	const [subject, service] = [new Subject(http), new Service()];
	const findings: Findings[] = [];
	for (const [name, measure] of rows) {
		process.stderr.write(`${name}\n`);
		const found = await measure({ subject, service, isQuick });
		const figures = found.figures.map(({ what, measured }) => ({ what, measured }));
		// Small lists say nothing about targets that were set for large ones.
		findings.push(isQuick ? { ...found, figures } : found);
	}
	const seconds = Math.round((performance.now() - started) / 1000);
	const parts = [
		'# Benchmarks',
		`Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run bench\`:`,
		[
			...circumstances(http),
			`- Took ${seconds} s; the load average before it was ${load.toFixed(1)}.`,
			...(isQuick ? ['- A quick run: it shows that all works, not how fast it is.'] : []),
		].join('\n'),
		HOW,
		...targets(findings),
		...findings.flatMap(({ title, note = '', figures }) => {
			const lines = figures.map(({ what, measured, wanted = '–', isMet }) => [
				...[what, measured, wanted],
				isMet === undefined ? '–' : isMet ? 'yes' : 'NO',
			]);
			return [`## ${title}`, table(HEAD, lines), note];
		}),
	];
	const text = await page(parts, out ?? resolve('docs/benchmarks.md'));
	process.stdout.write(`\n${text}`);
	if (out) writeFileSync(out, text);
	return findings.some(({ figures }) => figures.some(({ isMet }) => isMet === false)) ? 1 : 0;
}

command(USAGE, options, bench);
