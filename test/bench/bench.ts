import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { command } from '../report/command';
import type { Findings, Row } from './frame';
import { httpRequestNode } from './httpRequest';
import { markdown } from './report';
import { commits } from './rows/commits';
import { customers } from './rows/customers';
import { limits } from './rows/limits';
import { drainMemory, listMemory } from './rows/memory';
import { loading, tarball } from './rows/package';
import { reads } from './rows/reads';
import { backlog, idle } from './rows/trigger';
import { upserts } from './rows/upserts';
import { Service } from './service';
import { Subject } from './subject';

/**
 * The command `npm run bench`: measures the built package beside the usual ways, against the sandbox
 * in a process of its own, and ends with 1 when a target is missed.
 */

const ALL: readonly Row[] = [
	...[customers, reads, upserts, limits, commits],
	...[idle, backlog, listMemory, drainMemory, loading, tarball],
];

const USAGE = `Usage: npm run bench -- [--only <names>] [--quick] [--out <file>]

  --only <names>   rows, with commas between: ${ALL.map(({ name }) => name).join(', ')}
  --quick          small lists and one round: shows that all works, not how fast it is
  --out <file>     writes the report there as well, as docs/benchmarks.md`;

function options() {
	const { values } = parseArgs({
		options: {
			only: { type: 'string', default: ALL.map(({ name }) => name).join() },
			quick: { type: 'boolean', default: false },
			out: { type: 'string' },
		},
	});
	const rows = values.only.split(',').map((name) => {
		const row = ALL.find((each) => each.name === name.trim());
		if (row === undefined) throw new Error(`there is no row "${name}"`);
		return row;
	});
	return { rows, isQuick: values.quick, out: values.out && resolve(values.out) };
}

async function measure(rows: readonly Row[], subject: Subject, isQuick: boolean) {
	const service = new Service();
	try {
		const findings: Findings[] = [];
		for (const { name, run } of rows) {
			const progress = (words: string) => process.stderr.write(`${name}: ${words}\n`);
			const found = await run({ subject, service, isQuick, progress });
			// Small lists say nothing about targets that were set for large ones.
			findings.push(isQuick ? { ...found, targets: [] } : found);
		}
		return findings;
	} finally {
		service.close();
	}
}

async function bench({ rows, isQuick, out }: ReturnType<typeof options>): Promise<number> {
	const [load = NaN] = loadavg();
	const started = performance.now();
	const http = httpRequestNode();
	const subject = Subject.copy(http);
	try {
		const findings = await measure(rows, subject, isQuick);
		const core = createRequire(__filename).resolve('n8n-core/package.json');
		const { version } = JSON.parse(readFileSync(core, 'utf8')) as { version: string };
		const installed = http
			? `${String(http.type.description.defaultVersion)} of n8n-nodes-base ${http.version}`
			: 'not measured (`npm start` installs n8n)';
		const versions = `n8n-core ${version}, HTTP Request node ${installed}`;
		const seconds = Math.round((performance.now() - started) / 1000);
		const report = { findings, isQuick, versions, load, seconds };
		const text = await markdown(report, out ?? resolve('docs/benchmarks.md'));
		process.stdout.write(`\n${text}`);
		if (out) writeFileSync(out, text);
		return findings.some(({ targets }) => targets.some(({ isMet }) => !isMet)) ? 1 : 0;
	} finally {
		subject.remove();
	}
}

command(USAGE, options, bench);
