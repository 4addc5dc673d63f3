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

function rowOf(name) {
	const file = join(ROOT, '.n8n/mutation', `${name}.json`);
	if (!existsSync(file)) return undefined;
	const { files } = JSON.parse(readFileSync(file, 'utf8'));
	const mutants = Object.values(files).flatMap((each) => each.mutants);
	const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
	const noticed = count('Killed', 'Timeout');
	const missed = count('Survived', 'NoCoverage');
	if (noticed + missed === 0) return undefined;
	return { name: FOLDERS[name].title, noticed, endless: count('Timeout'), missed };
}

function line({ name, noticed, endless, missed }) {
	const share = ((100 * noticed) / (noticed + missed)).toFixed(1);
	return `| ${name} | ${noticed + missed} | ${noticed} | ${endless} | ${missed} | ${share} % |`;
}

export async function writePage() {
	const rows = Object.keys(FOLDERS)
		.map(rowOf)
		.filter((row) => row !== undefined);
	const date = new Date().toISOString().slice(0, 10);
	const section = [
		HEADING,
		'',
		`Written by \`npm run mutation\` on ${date}: the code is changed in small ways, one at a time (a comparison turned, a condition left out, a block emptied), and the tests are run that reach the place. A change that no test notices is looked at: either a test is missing, or the code is not needed, or the change makes no difference. The words of forms and errors are left alone. With each change only the quickest tests that reach it are run, some six seconds of them, and none of the storms above; so the shares are lower bounds.`,
		'',
		'| Code | Changes | Noticed | of which never ended | Not noticed | Share |',
		'| --- | --: | --: | --: | --: | --: |',
		...rows.map(line),
		'',
	].join('\n');
	const page = readFileSync(PAGE, 'utf8').split(`\n${HEADING}\n`)[0];
	const options = { ...(await resolveConfig(PAGE)), parser: 'markdown' };
	writeFileSync(PAGE, await format(`${page.trimEnd()}\n\n${section}`, options));
}
