import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus } from 'node:os';
import { resolve } from 'node:path';

import { formattedPage, table } from '../report/markdown';
import type { Figure } from './compare';
import { options, ROUNDS, SLOW } from './compare';
import { manyReads, returnAll, upserts } from './customers';
import { payments, trigger } from './payments';

/**
 * Compares the built package with what people build by hand, against the sandbox in its own process,
 * and writes docs/benchmarks.md: npm run bench [-- --quick]
 *
 *   --quick   a tenth of everything, and nothing is written: shows that all works, not how fast
 */
const PAGE_FILE = resolve(__dirname, '../../docs/benchmarks.md');

async function bench(): Promise<void> {
	const figures: Figure[] = [];
	for (const measure of [returnAll, manyReads, upserts, payments, trigger]) {
		console.error(measure.name);
		figures.push(...(await measure()));
	}
	const core = createRequire(__filename)('n8n-core/package.json').version;
	const today = new Date().toISOString().slice(0, 10);
	const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`;
	const rows = figures.map(({ what, ours, theirs, ratio }) => [
		what,
		ours,
		theirs,
		ratio === undefined ? '–' : `${Number(ratio.toFixed(2))}×`,
	]);
	const text = await formattedPage(
		[
			'# Benchmarks',
			`Written by \`npm run bench\` on ${today}: ${machine}, Node ${process.version}, n8n-core ${core}.`,
			table(['', 'This package', 'By hand', 'By hand / this package'], rows),
			`Both run alternately on n8n's own engine, against a sandbox in a separate process that answers after ${SLOW.latency} ms. "By hand" is n8n's HTTP Request node with the same credential or, if several nodes are needed, n8n's request helper, doing what the first column says: it retries nothing, compares nothing, remembers nothing and fires nothing. Times are medians of ${ROUNDS} rounds.`,
		],
		PAGE_FILE,
	);
	console.log(text);
	if (!options.quick) writeFileSync(PAGE_FILE, text);
}

void bench().then(() => process.exit());
