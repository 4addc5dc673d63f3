import type { Coverage } from '../../nodes/PaymentsGateway/gateway/coverage';
import {
	addPage,
	countsFewer,
	missingRows,
	NOTHING_READ,
} from '../../nodes/PaymentsGateway/gateway/coverage';

/** What pages show of the list that they come from. Whole lists are read in list.test.ts. */

/** A page of so many rows, of which so many are new, with the gateway's count. */
type PageShown = readonly [rows: number, newRows: number, total?: number];

function pageOf(rows: number, total?: number) {
	return { rows: Array.from({ length: rows }), dropped: 0, total, pageSize: 10 };
}

function coverageOf(pages: readonly PageShown[]): Coverage {
	return pages.reduce(
		(before, [rows, newRows, total]) => addPage(before, pageOf(rows, total), newRows),
		NOTHING_READ,
	);
}

test.each<[string, boolean, PageShown[]]>([
	['an empty page', true, [[0, 0, 0]]],
	[
		'all that is counted',
		true,
		[
			[10, 10, 25],
			[10, 10, 25],
			[5, 5, 25],
		],
	],
	[
		'less than is counted',
		false,
		[
			[10, 10, 25],
			[5, 5, 25],
		],
	],
	[
		'a page shorter than page 1, not counted',
		true,
		[
			[10, 10],
			[7, 7],
		],
	],
	[
		'full pages, not counted',
		false,
		[
			[10, 10],
			[10, 10],
		],
	],
	[
		'one page without news, which new rows may have pushed down',
		false,
		[
			[10, 10],
			[10, 0],
		],
	],
	[
		'two pages without news',
		true,
		[
			[10, 10],
			[10, 0],
			[10, 0],
		],
	],
	[
		'a count below the rows that were read',
		false,
		[
			[10, 10, 15],
			[10, 10, 15],
		],
	],
])('after %s, the end is reached: %p', (_, isAtEnd, pages) => {
	expect(coverageOf(pages).isAtEnd).toBe(isAtEnd);
});

test('a count that falls shows that rows were removed', () => {
	const before = coverageOf([[10, 10, 25]]);
	expect(countsFewer(before, pageOf(10, 24))).toBe(true);
	expect(countsFewer(before, pageOf(10, 26))).toBe(false);
	expect(countsFewer(before, pageOf(10))).toBe(false);
	expect(addPage(before, pageOf(10, 24), 10).hasShrunk).toBe(true);
	expect(addPage(before, pageOf(10, 26), 10).hasShrunk).toBe(false);
});

test.each<[string, boolean, PageShown[]]>([
	[
		'three times',
		true,
		[
			[10, 10],
			[10, 0],
			[10, 0],
		],
	],
	[
		'three times, but counted',
		false,
		[
			[10, 10, 30],
			[10, 0, 30],
			[10, 0, 30],
		],
	],
	[
		'three times, but not full',
		false,
		[
			[7, 7],
			[7, 0],
			[7, 0],
		],
	],
	[
		'only twice, after another page',
		false,
		[
			[10, 10],
			[10, 10],
			[10, 0],
		],
	],
])('page 1 that came %s is taken for the same page: %p', (_, isRepeated, pages) => {
	expect(coverageOf(pages).isPage1Repeated).toBe(isRepeated);
});

test.each<[string, number, string | undefined, PageShown[]]>([
	['all counted rows', 0, undefined, [[10, 10, 10]]],
	[
		'fewer rows than counted',
		0,
		'the gateway counts 12 rows of the list and gave out 10',
		[[10, 10, 12]],
	],
	['fewer rows than counted', 2, undefined, [[10, 10, 12]]],
	[
		'fewer rows than counted, but the others were added after page 1',
		0,
		undefined,
		[
			[10, 10, 12],
			[2, 2, 13],
		],
	],
	[
		'fewer rows than counted at first, but the others were removed',
		0,
		undefined,
		[
			[10, 10, 13],
			[2, 2, 12],
		],
	],
	[
		'no count',
		0,
		undefined,
		[
			[10, 10],
			[3, 3],
		],
	],
])(
	'after pages with %s (%i rows only in another pass), missing is %j',
	(_, others, message, pages) => {
		expect(missingRows(coverageOf(pages), others)).toBe(message);
	},
);
