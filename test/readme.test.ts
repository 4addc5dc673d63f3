import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { read, root, sourcesIn } from './files';

/** Checks what the README and the other documents say against the files that they speak of. */

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

test.each([
	...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'test/sandbox/README.md'],
	...['test/e2e/README.md', 'docs/benchmarks.md', 'docs/reliability.md', 'docs/scaling.md'],
	...['docs/service.md', 'docs/limits.md', 'docs/troubleshooting.md', 'docs/verification.md'],
])('every relative link and image of %s leads somewhere', (file) => {
	const text = read(file);
	const anchors = anchorsOf(text);
	const links = [...text.matchAll(/\]\(([^)\s]+)\)|src(?:set)?="([^"]+)"/g)].map(
		([, to, picture = '']) => to ?? picture,
	);
	for (const link of links.filter((to) => !/^[a-z]+:/.test(to))) {
		const [path = '', anchor] = link.split('#');
		const isThere =
			path === '' ? anchors.includes(`#${anchor}`) : existsSync(join(root, dirname(file), path));
		expect([link, isThere]).toEqual([link, true]);
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

/** What differs from case to case is an ellipsis in the README, an expression in the sources. */
test('README and troubleshooting quote errors by words that a user can meet', () => {
	const sources = sourcesIn('nodes', 'credentials').map(read).join('\n');
	const said = sources.replace(/\$\{[^}]*\}/g, '…');
	const quoted = ['README.md', 'docs/troubleshooting.md'].flatMap((file) => {
		const [, table = ''] = /## Troubleshooting\n([\s\S]*?)\n## /.exec(read(file)) ?? [];
		return [...table.matchAll(/^\| (?!-|you see)(.+?) +\|/gm)].map(([, words = '']) => words);
	});
	expect(quoted.length).toBeGreaterThan(20);
	for (const words of quoted) {
		for (const part of words.replace('401', '…').split('…')) expect(said).toContain(part.trim());
	}
});
