// n8n's verification scan, offline: once on the sources, once on the tarball as it would be published.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

const root = resolve(import.meta.dirname, '..');
const MOST_BYTES = 65_000;

try {
	parseArgs({ options: {} });
} catch (error) {
	console.error(`${error.message}\nUsage: npm run scan (it takes no options)`);
	process.exit(1);
}

function run(command, args, cwd) {
	const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
	if (status === 0) return stdout;
	console.error(`${command} ${args.join(' ')} did not work:\n${error?.message ?? stderr}`);
	process.exit(1);
}

function unpackTarball(folder) {
	const [packed] = JSON.parse(
		run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root),
	);
	const packageDir = join(folder, 'package');
	mkdirSync(packageDir);
	run(
		'tar',
		['-xzf', join(folder, packed.filename), '-C', packageDir, '--strip-components=1'],
		root,
	);
	return { packageDir, packed };
}

const folder = mkdtempSync(join(tmpdir(), 'n8n-scan-'));
let failed = 0;
const report = (what, passed, details) => {
	console.log(`${passed ? 'passed' : 'FAILED'}  ${what}`);
	if (!passed) {
		failed += 1;
		console.log(details);
	}
};
try {
	const sources = await analyzePackage(root, SOURCE_FILE_PATTERNS);
	report('sources', sources.passed, sources.details ?? sources.message);

	const { packageDir, packed } = unpackTarball(folder);
	const tarball = await analyzePackage(packageDir, ['**/*.js', 'package.json']);
	report('tarball', tarball.passed, tarball.details ?? tarball.message);

	const names = packed.files.map(({ path }) => path);
	const needed = /^(?:dist\/|package\.json$|README\.md$|LICENSE\.md$|CHANGELOG\.md$|index\.js$)/;
	const strangers = names.filter((name) => !needed.test(name));
	report('only what users need', strangers.length === 0, strangers.join('\n'));
	report(
		`${names.length} files, ${packed.size} bytes (at most ${MOST_BYTES})`,
		packed.size <= MOST_BYTES,
		'The tarball has grown too large',
	);
} finally {
	rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
