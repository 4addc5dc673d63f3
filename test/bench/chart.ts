import type { Bars } from './row';
import { duration } from './row';

/** The comparisons as one picture: a bar for each rival, shorter is better, this package in colour. */

const WIDTH = 760;
const LABELS = 250;
const VALUES = 90;
const BAR = 18;
const GAP = 8;
const TITLE = 34;

function escaped(words: string): string {
	return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function group({ title, bars }: Bars, top: number): { lines: string[]; height: number } {
	const longest = Math.max(...bars.map(({ ms }) => ms));
	const lines = [`<text class="title" x="0" y="${top + 18}">${escaped(title)}</text>`];
	for (const [index, { name, ms }] of bars.entries()) {
		const y = top + TITLE + index * (BAR + GAP);
		const width = Math.max(1, Math.round((ms / longest) * (WIDTH - LABELS - VALUES)));
		const kind = name.startsWith('This package') ? 'ours' : 'other';
		lines.push(
			`<text x="${LABELS - 10}" y="${y + 13}" text-anchor="end">${escaped(name)}</text>`,
			`<rect class="${kind}" x="${LABELS}" y="${y}" width="${width}" height="${BAR}" rx="2"/>`,
			`<text x="${LABELS + width + 8}" y="${y + 13}">${escaped(duration(ms))}</text>`,
		);
	}
	return { lines, height: TITLE + bars.length * (BAR + GAP) + 16 };
}

export function chart(comparisons: readonly Bars[]): string {
	let height = 0;
	const lines: string[] = [];
	for (const each of comparisons) {
		const drawn = group(each, height);
		lines.push(...drawn.lines);
		height += drawn.height;
	}
	// Read on light and on dark pages alike.
	const style =
		'text{font:13px system-ui,sans-serif;fill:#57606a}.title{font-weight:600}.ours{fill:#ea4b71}.other{fill:#a8b1bb}@media(prefers-color-scheme:dark){text{fill:#adbac7}.other{fill:#57606a}}';
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
		'<title>How long the same work takes, shorter is better</title>',
		`<style>${style}</style>`,
		...lines,
		'</svg>\n',
	].join('\n');
}
