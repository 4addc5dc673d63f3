import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { FOLDERS } from './folders.mjs';

/**
 * Writes the last section of docs/reliability.md from what each folder's last run has found. The
 * rest of that page is written by test/reliability/report.ts, which leaves this section as it is.
 */

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = join(ROOT, 'docs/reliability.md');
const HEADING = '## What the tests notice';

/** Of the whole folder where that was done, or else of a sample. */
function mutantsOf(name) {
	for (const kind of ['', '.sample']) {
		const file = join(ROOT, '.n8n/mutation', `${name}${kind}.json`);
		if (!existsSync(file)) continue;
		const { files } = JSON.parse(readFileSync(file, 'utf8'));
		return Object.values(files).flatMap((each) => each.mutants);
	}
	return [];
}

function line(name) {
	const mutants = mutantsOf(name);
	const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
	const noticed = count('Killed', 'Timeout');
	const tried = noticed + count('Survived', 'NoCoverage');
	if (tried === 0) return [];
	const share = `${((100 * noticed) / tried).toFixed(1)} %`;
	// What is not in the sample counts as an error of the run.
	const cells = [tried + count('RuntimeError'), tried, noticed, count('Timeout'), share];
	return [`| ${[FOLDERS[name].title, ...cells].join(' | ')} |`];
}

export async function writePage() {
	const date = new Date().toISOString().slice(0, 10);
	const rows = Object.keys(FOLDERS).map((name) => ({ name, cells: line(name) }));
	const unmeasured = rows.filter(({ cells }) => cells.length === 0);
	const missing = unmeasured.map(({ name }) => FOLDERS[name].title).join(', ');
	const section = [
		HEADING,
		'',
		`Written by \`npm run mutation\` on ${date}: the code is changed in small ways, one at a time (a comparison turned, a condition left out, a block emptied), and the tests that reach the place are run. A change that no test notices is looked at: either a test is missing, or the code is not needed, or the change makes no difference to anybody. The words of forms and errors are left alone. Where not all changes were tried, the sample is the same each time. Each change is tried with the quickest of its tests only, for a few seconds, and without the long tests above: so the shares are lower bounds.`,
		'',
		'| Code | Changes | Tried | Noticed | of these, endless | Share |',
		'| --- | --: | --: | --: | --: | --: |',
		...rows.flatMap(({ cells }) => cells),
		'',
		...(missing === '' ? [] : [`Not measured yet: ${missing}.`, '']),
	].join('\n');
	const page = readFileSync(PAGE, 'utf8').split(`\n${HEADING}\n`)[0];
	const options = { ...(await resolveConfig(PAGE)), parser: 'markdown' };
	writeFileSync(PAGE, await format(`${page.trimEnd()}\n\n${section}`, options));
}
