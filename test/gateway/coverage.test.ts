import type { Coverage } from '../../nodes/PaymentsGateway/gateway/coverage';
import { addPage, missingRows, NOTHING_READ } from '../../nodes/PaymentsGateway/gateway/coverage';

/** What pages show of a list that changes in ways too rare for list.test.ts, which reads whole lists. */

/** What a page shows: its rows, how many of them are new, and the gateway's count. */
const page = (rows: number, newRows: number, total?: number) => ({
	rows: Array.from({ length: rows }),
	dropped: 0,
	total,
	pageSize: 10,
	newRows,
});

function coverageOf(pages: ReadonlyArray<ReturnType<typeof page>>): Coverage {
	return pages.reduce((before, shown) => addPage(before, shown, shown), NOTHING_READ);
}

test('a page shorter than page 1 does not end a list of which more rows are counted', () => {
	expect(coverageOf([page(10, 10, 25), page(5, 5, 25)]).isAtEnd).toBe(false);
});

test.each([
	['as long as page 1', 10, true],
	['shorter than page 1', 3, false],
	['empty, since as many rows as fit a page were added', 0, false],
])(
	'after two pages without new rows, the last of which is %s (%i rows), page 1 counts as repeated: %p',
	(_, rows, isRepeated) => {
		const { isPage1Repeated } = coverageOf([page(10, 10), page(10, 0), page(rows, 0)]);
		expect(isPage1Repeated).toBe(isRepeated);
	},
);

test('in a list with a count, page 1 does not count as repeated', () => {
	const pages = [page(10, 10, 30), page(10, 0, 30), page(10, 0, 30)];
	expect(coverageOf(pages).isPage1Repeated).toBe(false);
});

test.each([
	['fewer than counted', 12, 12, 'the gateway counts 12 rows in the list but returned 11'],
	['fewer, but the others were added after page 1', 11, 13, undefined],
	['fewer, but the others were removed after page 1', 13, 11, undefined],
])('of rows that are %s (%i, later %i), %j is reported', (_, first, last, message) => {
	const coverage = coverageOf([page(10, 10, first), page(1, 1, last)]);
	expect(missingRows(coverage, 0)).toBe(message);
});
