import type { Coverage } from '../../nodes/PaymentsGateway/gateway/coverage';
import {
	addPage,
	countsFewer,
	missingRows,
	NOTHING_READ,
} from '../../nodes/PaymentsGateway/gateway/coverage';

/** What pages show of the list that they come from. Whole lists are read in list.test.ts. */

/** What a page shows: its rows, how many of them are new, and the gateway's count. */
const page = (rows: number, newRows: number, total?: number) => ({
	rows: Array.from({ length: rows }),
	dropped: 0,
	total,
	pageSize: 10,
	newRows,
});
type PageShown = ReturnType<typeof page>;

function coverageOf(pages: readonly PageShown[]): Coverage {
	return pages.reduce((before, shown) => addPage(before, shown, shown), NOTHING_READ);
}

test.each<[string, boolean, PageShown[]]>([
	['an empty page', true, [page(0, 0, 0)]],
	['all that is counted', true, [page(10, 10, 25), page(10, 10, 25), page(5, 5, 25)]],
	['less than is counted', false, [page(10, 10, 25), page(5, 5, 25)]],
	['a page shorter than page 1, not counted', true, [page(10, 10), page(7, 7)]],
	['full pages, not counted', false, [page(10, 10), page(10, 10)]],
	[
		'one page without new rows, which added rows may have pushed down',
		false,
		[page(10, 10), page(10, 0)],
	],
	['two pages without new rows', true, [page(10, 10), page(10, 0), page(10, 0)]],
	['a count below the rows that were read', false, [page(10, 10, 15), page(10, 10, 15)]],
])('after %s, the end is reached: %p', (_, isAtEnd, pages) => {
	expect(coverageOf(pages).isAtEnd).toBe(isAtEnd);
});

test('a count that falls is noticed', () => {
	const before = coverageOf([page(10, 10, 25)]);
	expect(countsFewer(before, page(10, 10, 24))).toBe(true);
	expect(countsFewer(before, page(10, 10, 26))).toBe(false);
	expect(countsFewer(before, page(10, 10))).toBe(false);
	expect(addPage(before, page(10, 10, 24), { newRows: 10 }).hasShrunk).toBe(true);
	expect(addPage(before, page(10, 10, 26), { newRows: 10 }).hasShrunk).toBe(false);
});

test.each<[string, boolean, PageShown[]]>([
	['three equal full pages without a count', true, [page(10, 10), page(10, 0), page(10, 0)]],
	[
		'three equal full pages with a count',
		false,
		[page(10, 10, 30), page(10, 0, 30), page(10, 0, 30)],
	],
	['three equal short pages', false, [page(7, 7), page(7, 0), page(7, 0)]],
	['a page 3 without new rows', false, [page(10, 10), page(10, 10), page(10, 0)]],
	['a shorter page 3', false, [page(10, 10), page(10, 0), page(3, 0)]],
	['an empty page 3', false, [page(10, 10), page(10, 0), page(0, 0)]],
])('page 1 counts as repeated after %s: %p', (_, isRepeated, pages) => {
	expect(coverageOf(pages).isPage1Repeated).toBe(isRepeated);
});

test.each<[string, number, string | undefined, PageShown[]]>([
	['all counted rows', 0, undefined, [page(10, 10, 10)]],
	[
		'fewer rows than counted',
		0,
		'the gateway counts 12 rows in the list but returned 10',
		[page(10, 10, 12)],
	],
	['fewer rows than counted', 2, undefined, [page(10, 10, 12)]],
	[
		'fewer rows than counted, but the others were added after page 1',
		0,
		undefined,
		[page(10, 10, 12), page(2, 2, 13)],
	],
	[
		'fewer rows than counted at first, but the others were removed',
		0,
		undefined,
		[page(10, 10, 13), page(2, 2, 12)],
	],
	['no count', 0, undefined, [page(10, 10), page(3, 3)]],
])(
	'after pages with %s (%i rows only in another pass), missing is %j',
	(_, others, message, pages) => {
		expect(missingRows(coverageOf(pages), others)).toBe(message);
	},
);
