import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { read, root } from './files';

/** Checks what the documents lead to: links, and the commands that they name. */

const documents = [
	...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
	...['test/sandbox/README.md', 'test/e2e/README.md'],
	...readdirSync(join(root, 'docs'))
		.filter((name) => name.endsWith('.md'))
		.map((name) => `docs/${name}`),
];

/** The anchors of a text's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
	return [...text.matchAll(/^#+ (.+)$/gm)].map(
		([, title = '']) =>
			`#${title
				.toLowerCase()
				.replace(/[^\w\s-]/g, '')
				.replace(/\s/g, '-')}`,
	);
}

test.each(documents)('every relative link and image of %s leads somewhere', (file) => {
	const text = read(file);
	const links = [...text.matchAll(/\]\(([^)\s]+)\)|src(?:set)?="([^"]+)"/g)].map(
		([, to, picture = '']) => to ?? picture,
	);
	for (const link of links.filter((to) => !/^[a-z]+:/.test(to))) {
		const [path = '', anchor] = link.split('#');
		const isThere =
			path === ''
				? anchorsOf(text).includes(`#${anchor}`)
				: existsSync(join(root, dirname(file), path));
		expect([link, isThere]).toEqual([link, true]);
	}
});

test.each(documents)('every npm script that %s names is there', (file) => {
	const { scripts }: { scripts: object } = JSON.parse(read('package.json'));
	for (const [, name] of read(file).matchAll(/npm run (?:--silent )?([\w:]+)/g)) {
		expect(Object.keys(scripts)).toContain(name);
	}
});

/** n8n shows these links as "Docs" beside a node and its credential. */
test('every documentation link of the nodes and the credential leads to a section of the README', () => {
	const { homepage }: { homepage: string } = JSON.parse(read('package.json'));
	const [page = ''] = homepage.split('#');
	const anchors = ['#readme', ...anchorsOf(read('README.md'))];
	const codex = ['PaymentsGateway', 'PaymentsGatewayTrigger'].map((node) =>
		read(`nodes/PaymentsGateway/${node}.node.json`),
	);
	const links = [...codex, read('credentials/PaymentsGatewayApi.credentials.ts')].flatMap((text) =>
		[...text.matchAll(/https:\/\/github\.com[^'"]*/g)].map(([link]) => link),
	);
	expect(links).toHaveLength(5);
	for (const link of links) {
		expect([link, link.startsWith(`${page}#`)]).toEqual([link, true]);
		expect(anchors).toContain(link.slice(page.length));
	}
});
