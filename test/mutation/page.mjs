import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { page, table } from '../report/markdown.ts';
import { FOLDERS, isInSample } from './folders.mjs';

/**
 * Writes the last section of docs/reliability.md from what each folder's last run has found. The
 * rest of that page is written by test/reliability/report.ts, which leaves this section as it is.
 */

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = join(ROOT, 'docs/reliability.md');
const HEADING = '## What the tests notice';

/** A place that no test reaches is never handed to the runner: the sample is made of those here. */
function isLeftOut({ status, mutatorName, replacement, location: { start } }, fileName) {
	if (status === 'RuntimeError') return true;
	const from = { line: start.line - 1, column: start.column - 1 };
	return (
		status === 'NoCoverage' && !isInSample({ fileName, mutatorName, replacement, start: from })
	);
}

function rowOf({ title }, reportFile) {
	const { files } = JSON.parse(readFileSync(join(ROOT, reportFile), 'utf8'));
	const changes = Object.entries(files).flatMap(([file, { mutants }]) =>
		mutants
			.filter(({ status }) => status !== 'Ignored')
			.map((mutant) => (isLeftOut(mutant, file) ? 'left out' : mutant.status)),
	);
	const count = (...statuses) => changes.filter((status) => statuses.includes(status)).length;
	const noticed = count('Killed', 'Timeout');
	const tried = changes.length - count('left out');
	const share = `${((100 * noticed) / tried).toFixed(1)} %`;
	return [title, changes.length, tried, noticed, count('Timeout'), share];
}

/** The rows of other folders stay as they are. */
export async function writePage(name, reportFile) {
	const date = new Date().toISOString().slice(0, 10);
	const [rest, before = ''] = readFileSync(PAGE, 'utf8').split(`\n${HEADING}\n`);
	const measured = before.split('\n').map((line) => line.split('|').slice(1, -1));
	const rows = Object.entries(FOLDERS).map(([each, folder]) =>
		each === name
			? rowOf(folder, reportFile)
			: (measured.find(([title]) => title?.trim() === folder.title) ?? [folder.title]),
	);
	const missing = rows.filter((row) => row.length === 1).join(', ');
	const paragraphs = [
		rest,
		HEADING,
		`Written by \`npm run mutation\` on ${date}: the code is changed in small ways, one at a time (a comparison turned, a condition left out, a block emptied), and the tests that reach the place are run. A change that no test notices is looked at: either a test is missing, or the code is not needed, or the change makes no difference to anybody. The words of forms and errors are left alone. Where not all changes were tried, the sample is the same each time. Each change is tried with the quickest of its tests only, for a few seconds, and without the long tests above: so the shares are lower bounds.`,
		table(
			['Code', 'Changes', 'Tried', 'Noticed', 'of these, endless', 'Share'],
			rows.filter((row) => row.length > 1),
		),
		...(missing === '' ? [] : [`Not measured yet: ${missing}.`]),
	];
	writeFileSync(PAGE, await page(paragraphs, PAGE));
}
