import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * What the workflows of this repository promise to whoever installs the package: nobody but the last
 * job of publish.yml can publish, it runs nothing that was installed, and no action changes unseen.
 */

const folder = resolve(__dirname, '../.github/workflows');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const workflows = readdirSync(folder);

/** The jobs of a workflow by their names, in their order. */
function jobsOf(text: string): Map<string, string> {
	const parts = text.slice(text.indexOf('\njobs:')).split(/^ {2}([\w-]+):$/m);
	const names = parts.filter((_, index) => index % 2 === 1);
	return new Map(names.map((name, index) => [name, parts[2 * index + 2] ?? '']));
}

const publish = read('publish.yml');
const jobs = jobsOf(publish);
const job = (name: string) => jobs.get(name) ?? '';

test('checking, testing, packing and publishing are jobs of their own', () => {
	expect([...jobs.keys()]).toEqual(['check', 'test', 'pack', 'publish']);
	expect(job('test')).toMatch(/needs: check\n/);
	expect(job('pack')).toMatch(/needs: check\n/);
	expect(job('publish')).toMatch(/needs: \[test, pack\]\n/);
});

test('only the last job may publish, and it may do nothing else', () => {
	const granted = publish.match(/permissions:(?:\n +[\w-]+: \w+$)+/gm);
	expect(granted).toEqual([
		'permissions:\n  contents: read',
		'permissions:\n      id-token: write',
	]);
	expect(publish.match(/permissions:/g)).toHaveLength(2);
	expect(job('publish')).toContain('id-token: write');
	expect(publish).not.toContain('secrets.');
});

test('the last job publishes what was packed, and installs and builds nothing', () => {
	const commands = [...job('publish').matchAll(/run: (.*)/g)].map(([, command]) => command);
	expect(commands).toEqual([expect.stringMatching(/^npm publish \.\/\*\.tgz .*--ignore-scripts$/)]);
	expect(job('publish')).not.toContain('actions/checkout');
});

test('tag and repository are looked at before anything is installed', () => {
	const commands = [...job('check').matchAll(/run: (.*)/g)].map(([, command]) => command);
	expect(commands).toEqual([
		expect.stringMatching(/^test "\$GITHUB_REF_NAME" = .*\.version/),
		expect.stringMatching(/^test .*\$GITHUB_REPOSITORY\.git.*\.repository\.url/),
	]);
});

test.each(workflows)('%s names each action by its commit, with the version beside it', (file) => {
	const actions = [...read(file).matchAll(/uses: (.*)/g)].map(([, action]) => action);
	expect(actions).not.toEqual([]);
	for (const action of actions) {
		expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
	}
});

test.each(workflows)('%s may write nothing, except where it publishes', (file) => {
	expect(read(file)).toMatch(/^permissions:\n {2}contents: read$/m);
	expect(read(file).match(/: write|write-all/g) ?? []).toEqual(
		file === 'publish.yml' ? [': write'] : [],
	);
});
