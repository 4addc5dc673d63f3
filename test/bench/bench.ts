import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { Engine } from '../engine';
import { page, table } from '../report/markdown';
import type { Findings, Row } from './frame';
import { HOME } from './frame';
import { HTTP_REQUEST, httpRequestNode, LOOP, loop } from './rivals';
import { drainMemory, listMemory } from './rows/memory';
import { loading, tarball } from './rows/package';
import { customers, limits, reads } from './rows/reads';
import { backlog, idle } from './rows/trigger';
import { commits, upserts } from './rows/writes';
import { Service } from './service';

/**
 * Measures the built package beside the usual ways, against the sandbox in a process of its own, and
 * ends with 1 when a target is missed: npm run bench -- [--only <rows>] [--quick] [--out <file>]
 *
 *   --only <rows>   the names below, with commas between
 *   --quick         small lists and one round: shows that all works, not how fast it is
 *   --out <file>    writes the report there as well, as docs/benchmarks.md
 */

const ROWS: Readonly<Record<string, Row>> = {
	...{ customers, reads, upserts, limits, commits, idle, drain: backlog },
	...{ events: listMemory, 'drain-memory': drainMemory, loading, tarball },
};

const HOW =
	"All rivals run in turn, in each round in another order, on the same engine of n8n and against the same sandbox, which is a process of its own and delays every answer by the latency that is named. Times are medians; ratios are taken round by round and are medians too: below 1× this package was quicker. The sequential loop is what nodes usually have: one request after another over n8n's request helper. The HTTP Request node of n8n comes with its own pagination, and uses the credential of this package. For all rivals, expressions are evaluated without the isolate that n8n puts around them.";

/** How many targets are met, and which are not; nothing where there are none. */
function targets(findings: readonly Findings[]): string[] {
	const all = findings.flatMap(({ title, figures }) =>
		figures.map((figure) => ({ title, ...figure })).filter(({ wanted }) => wanted !== undefined),
	);
	if (all.length === 0) return [];
	const missed = all.filter(({ isMet }) => !isMet);
	const words = missed.map(
		({ title, what, reason }) => `- ${title}: ${what}${reason ? `. ${reason}` : ''}`,
	);
	const met = `${all.length - missed.length} of ${all.length} targets are met.`;
	return ['## Targets', missed.length > 0 ? `${met} Missed:` : met, words.join('\n')];
}

async function bench(): Promise<number> {
	const { values } = parseArgs({
		options: { only: { type: 'string' }, quick: { type: 'boolean' }, out: { type: 'string' } },
	});
	const isQuick = values.quick ?? false;
	const names = values.only?.split(',') ?? Object.keys(ROWS);
	// Well above 0, other work has disturbed the figures.
	const load = loadavg()[0]?.toFixed(1);
	const started = performance.now();
	const { type, version } = httpRequestNode();
	const engine = new Engine(HOME, { [LOOP]: loop, [HTTP_REQUEST]: type });
	const service = new Service();
	const findings: Findings[] = [];
	for (const name of names) {
		console.error(name);
		const measure = ROWS[name];
		if (!measure) throw new Error(`There is no row ${name}, but ${Object.keys(ROWS).join()}`);
		const { figures, ...found } = await measure({ engine, service, isQuick });
		// Small lists say nothing about targets that were set for large ones.
		const shown = isQuick ? figures.map(({ what, measured }) => ({ what, measured })) : figures;
		findings.push({ ...found, figures: shown });
	}
	const seconds = Math.round((performance.now() - started) / 1000);
	const processor = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`;
	const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
	const core = createRequire(__filename)('n8n-core/package.json').version;
	const http = `${type.description.defaultVersion} of n8n-nodes-base ${version}`;
	const paragraphs = [
		'# Benchmarks',
		`Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run bench\`:`,
		[
			`- ${processor}, ${memory}, ${process.platform} ${process.arch}`,
			`- Node ${process.version}, n8n-core ${core}, HTTP Request node ${http}`,
			`- Took ${seconds} s; the load average before it was ${load}.`,
			...(isQuick ? ['- A quick run: it shows that all works, not how fast it is.'] : []),
		].join('\n'),
		HOW,
		...targets(findings),
		...findings.flatMap(({ title, note = '', figures }) => {
			const lines = figures.map(({ what, measured, wanted = '–', isMet }) => [
				...[what, measured, wanted],
				isMet === undefined ? '–' : isMet ? 'yes' : 'NO',
			]);
			return [`## ${title}`, table(['', 'Measured', 'Wanted', 'Met'], lines), note];
		}),
	];
	const out = resolve(values.out ?? 'docs/benchmarks.md');
	const text = await page(paragraphs, out);
	console.log(`\n${text}`);
	if (values.out) writeFileSync(out, text);
	return findings.some(({ figures }) => figures.some(({ isMet }) => isMet === false)) ? 1 : 0;
}

void bench().then((code) => process.exit(code));
