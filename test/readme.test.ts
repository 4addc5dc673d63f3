import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const root = resolve(__dirname, '..');

/** What a reader clicks on is there. */
test.each(['README.md', 'CONTRIBUTING.md', 'test/sandbox/README.md', 'test/e2e/README.md'])(
	'every relative link and image of %s leads somewhere',
	(file) => {
		const text = readFileSync(join(root, file), 'utf8');
		const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(
			([, title = '']) =>
				`#${title
					.toLowerCase()
					.replace(/[^\w\s-]/g, '')
					.replace(/\s/g, '-')}`,
		);
		const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => to);
		for (const link of links.filter((to) => !/^[a-z]+:/.test(to))) {
			const [path = '', anchor] = link.split('#');
			const isThere =
				path === '' ? anchors.includes(`#${anchor}`) : existsSync(join(root, dirname(file), path));
			expect([link, isThere]).toEqual([link, true]);
		}
	},
);

test('the README shows the commands to start and to test', () => {
	const text = readFileSync(join(root, 'README.md'), 'utf8');
	expect(text).toContain('npm ci && npm start');
	expect(text).toContain('npm ci && npm test');
});
