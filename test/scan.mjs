// n8n's verification scan, offline: once on the sources, once on the tarball as it would be published.
// Then what the scan does not check but the verification needs: each class with its members in the
// published file that n8n loads it from; and the size and contents of the package.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';
import ts from 'typescript';

const root = resolve(import.meta.dirname, '..');
const MOST_BYTES = 90_000;
const MEMBERS = {
	credentials: ['icon', 'properties', 'authenticate', 'test'],
	nodes: ['description'],
};

// It takes no options.
parseArgs({ options: {} });

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
	const file = join(folder, packed.filename);
	run('tar', ['-xzf', file, '-C', packageDir, '--strip-components=1'], root);
	return { packageDir, packed };
}

/** The class or members that a published file should have and lacks. */
function hidden(packageDir, path, members) {
	const text = readFileSync(join(packageDir, path), 'utf8');
	const name = basename(path).split('.')[0];
	const declared = ts
		.createSourceFile(path, text, ts.ScriptTarget.Latest)
		.statements.find((each) => ts.isClassDeclaration(each) && each.name?.text === name);
	if (!declared) return [`${path} holds no class ${name}`];
	const found = declared.members.map((member) => member.name?.text);
	return members
		.filter((member) => !found.includes(member))
		.map((member) => `${path}: ${name} has no ${member}`);
}

/** Relative paths that a published file requires. */
function neighbours(packageDir, path) {
	const text = readFileSync(join(packageDir, path), 'utf8');
	return [...text.matchAll(/require\("(\..*?)"\)/g)].map(([, name]) => name);
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
	const { packageDir, packed } = unpackTarball(folder);
	await scan('tarball', packageDir, ['**/*.js', 'package.json']);

	const { name: packageName, n8n } = JSON.parse(
		readFileSync(join(packageDir, 'package.json'), 'utf8'),
	);
	const unseen = Object.entries(MEMBERS).flatMap(([kind, members]) =>
		n8n[kind].flatMap((path) => hidden(packageDir, path, members)),
	);
	report('each class in plain sight', unseen);
	const leaning = n8n.credentials.filter((path) => neighbours(packageDir, path).length > 0);
	report('the credential stands by itself', leaning);

	const names = packed.files.map(({ path }) => path);
	const needed = /^(?:dist\/|package\.json$|README\.md$|LICENSE\.md$|CHANGELOG\.md$|index\.js$)/;
	const strangers = names.filter((name) => !needed.test(name));
	report('only what users need', strangers);
	// A second n8n-workflow beside it would bring classes that n8n does not know, and 140 MB.
	const home = join(folder, 'home');
	const tarballFile = join(folder, packed.filename);
	run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--prefix', home, tarballFile]);
	const installed = readdirSync(join(home, 'node_modules')).filter((each) => each !== packageName);
	const others = installed.filter((each) => !each.startsWith('.'));
	report('npm installs it and nothing else', others);
	const grown = packed.size > MOST_BYTES ? ['The tarball has grown too large'] : [];
	report(`${names.length} files, ${packed.size} bytes (at most ${MOST_BYTES})`, grown);
} finally {
	rmSync(folder, { recursive: true, force: true });
}
