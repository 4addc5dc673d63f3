// n8n's verification scan, offline: once on the sources, once on the tarball as it would be published.
// Then what the scan does not check: the package's contents and size, and what npm installs with it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

const root = resolve(import.meta.dirname, '..');
const MOST_BYTES = 90_000;

function run(command, args, cwd) {
	const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
	if (status === 0) return stdout;
	console.error(`${command} ${args.join(' ')} failed:\n${error?.message ?? stderr}`);
	process.exit(1);
}

function unpackTarball(folder) {
	const [packed] = JSON.parse(
		run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root),
	);
	const packageDir = join(folder, 'package');
	mkdirSync(packageDir);
	const file = join(folder, packed.filename);
	run('tar', ['-xzf', file, '-C', packageDir, '--strip-components=1'], root);
	return { packageDir, packed, file };
}

const folder = mkdtempSync(join(tmpdir(), 'n8n-scan-'));
const report = (what, findings) => {
	console.log(`${findings.length === 0 ? 'passed' : 'FAILED'}  ${what}`);
	if (findings.length === 0) return;
	process.exitCode = 1;
	console.log(findings.join('\n'));
};
const scan = async (what, ...where) => {
	const { passed, details, message } = await analyzePackage(...where);
	report(what, passed ? [] : [details ?? message]);
};
try {
	await scan('sources', root, SOURCE_FILE_PATTERNS);
	const { packageDir, packed, file } = unpackTarball(folder);
	await scan('tarball', packageDir, ['**/*.js', 'package.json']);

	const names = packed.files.map(({ path }) => path);
	const { name: packageName, n8n } = JSON.parse(
		readFileSync(join(packageDir, 'package.json'), 'utf8'),
	);
	const missing = [...n8n.nodes, ...n8n.credentials].filter((path) => !names.includes(path));
	report('all that n8n loads', missing);
	const needed = /^(?:dist\/|package\.json$|README\.md$|LICENSE\.md$|CHANGELOG\.md$|index\.js$)/;
	const unexpected = names.filter((name) => !needed.test(name));
	report('only what users need', unexpected);
	// A second n8n-workflow beside it would bring classes that n8n does not know, and 140 MB.
	const home = join(folder, 'home');
	run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--prefix', home, file]);
	const installed = readdirSync(join(home, 'node_modules')).filter((each) => each !== packageName);
	const others = installed.filter((each) => !each.startsWith('.'));
	report('npm installs it and nothing else', others);
	const grown = packed.size > MOST_BYTES ? ['The tarball has grown too large'] : [];
	report(`${names.length} files, ${packed.size} bytes (at most ${MOST_BYTES})`, grown);
} finally {
	rmSync(folder, { recursive: true, force: true });
}
