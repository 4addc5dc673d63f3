import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { read, root } from './files';

/**
 * What the workflows of this repository promise to whoever installs the package: nobody but the last
 * job of publish.yml can publish, it runs nothing that was installed, and no action changes unseen.
 */

const folder = '.github/workflows';
const workflows = readdirSync(join(root, folder)).map((file) => `${folder}/${file}`);

const publish = read(`${folder}/publish.yml`);
const [, afterwards = ''] = publish.split('\njobs:');
/** The jobs in their order, each with its name in front. */
const jobs = afterwards.split(/\n(?= {2}[\w-]+:\n)/).slice(1);
const job = (name: string) => jobs.find((each) => each.startsWith(`  ${name}:\n`)) ?? '';
const commandsOf = (name: string) =>
	[...job(name).matchAll(/run: (.*)/g)].map(([, command]) => command);

test('checking, testing, packing and publishing are jobs of their own', () => {
	const names = jobs.map((each) => /[\w-]+/.exec(each)?.[0]);
	expect(names).toEqual(['check', 'test', 'pack', 'publish']);
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
	expect(commandsOf('publish')).toEqual([
		expect.stringMatching(/^npm publish \.\/\*\.tgz .*--ignore-scripts$/),
	]);
	expect(job('publish')).not.toContain('actions/checkout');
});

test('tag and repository are looked at before anything is installed', () => {
	expect(commandsOf('check')).toEqual([
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
		file.endsWith('/publish.yml') ? [': write'] : [],
	);
});
