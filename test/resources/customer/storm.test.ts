import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { sameEmail } from '../../../nodes/PaymentsGateway/wire/email';
import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { everything } from './everything';

/**
 * Whatever happens to customers, in whatever order, and however far the service's list is behind:
 * never two customers of one email that were made here, and never a field lost. What the customers
 * are to be is kept beside the service, and compared after each step.
 */

const { sandbox, run, later } = useNode({ resource: 'customer' });

const RUNS = Number(process.env.CUSTOMER_STORMS ?? (process.env.STORM ? 1_000 : 60));

const SPELLINGS: ReadonlyArray<(email: string) => string> = [
	(email) => email,
	(email) => email.toUpperCase(),
	(email) => ` ${email}\u200b`,
];
const email = fc.constantFrom('ada@x.com', 'bob@x.com', 'zoé@x.com');
/** An empty field is left alone, unless empty fields are cleared. */
const fields = fc.record(
	{
		nameOnCard: fc.constantFrom('Ada', 'Bob', ''),
		phone: fc.constantFrom('1', '2', ''),
		billingCity: fc.constantFrom('Paris', 'Rome', ''),
	},
	{ requiredKeys: [] },
);
type Fields = Readonly<Record<string, string>>;
const row = fc.record({ email, spelling: fc.nat({ max: 2 }), fields });
const rows = fc.array(row, { minLength: 1, maxLength: 4 });
const to = fc.option(email, { nil: undefined });
const clears = fc.boolean();
/** The service does what it is asked to, and the first answer to it is lost. */
const isLost = fc.integer({ min: 0, max: 4 }).map((chance) => chance === 0);

const step = fc.oneof(
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constant('upsert'),
			rows,
			times: fc.constantFrom(1, 4),
			clears,
			isLost,
		}),
	},
	fc.record({ kind: fc.constant('upsert twice at once'), rows }),
	fc.record({ kind: fc.constant('create'), email, fields }),
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constant('update'),
			email,
			isByID: clears,
			to,
			fields,
			clears,
			isLost,
		}),
	},
	fc.record({ kind: fc.constant('delete'), email, isByID: clears }),
	{ weight: 3, arbitrary: fc.record({ kind: fc.constant('the list falls behind') }) },
	fc.record({ kind: fc.constant('the list catches up') }),
	fc.record({ kind: fc.constant('others add'), email, fields }),
	fc.record({ kind: fc.constant('others change'), email, to, fields }),
	fc.record({ kind: fc.constant('others delete'), email }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Row = typeof row extends fc.Arbitrary<infer R> ? R : never;

const service = fc.record({
	updateReplaces: fc.boolean(),
	ignoreFilter: fc.boolean(),
	ignoreSearch: fc.boolean(),
	ignoreCase: fc.boolean(),
	pageSizeCap: fc.constantFrom(1, 2, 100),
});

/** What each customer is to hold, by email; what is empty is left out. */
const wanted = new Map<string, Fields>();
let isBehind = false;
let wasLost = false;

function lay(of: string, changes: Fields, clears = false): void {
	const filled = Object.entries(changes).filter(([, value]) => clears || value !== '');
	const all = { ...wanted.get(of), ...Object.fromEntries(filled) };
	wanted.set(of, Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')));
}
function move(from: string, target: string): void {
	wanted.set(target, wanted.get(from) ?? {});
	if (from !== target) wanted.delete(from);
}
const stored = () =>
	sandbox.customers.map(({ id, email: spelled, ...form }) => ({
		id,
		email: sameEmail(spelled),
		form: Object.fromEntries(
			Object.entries(form).filter(([, value]) => typeof value === 'string' && value !== ''),
		),
	}));
const idOf = (of: string) => stored().find((each) => each.email === of)?.id ?? 'cus_nobody';

const blank = Object.fromEntries(Object.keys(everything).map((name) => [name, '']));

const NAMES = ['nameOnCard', 'phone', 'billingCity'];
const columns = (names: readonly string[]): INodeParameters =>
	Object.fromEntries(names.map((name) => [name, `={{ $json.${name} }}`]));

async function act(parameters: INodeParameters, items: IDataObject[] = [{}]) {
	const settings = { onError: 'continueRegularOutput' as const };
	return output(await run(parameters, { items, settings }));
}
async function upsert(given: readonly Row[], names: readonly string[], clearEmptyFields = false) {
	const items = given.map((each) => ({
		...each.fields,
		email: SPELLINGS[each.spelling]?.(each.email) ?? '',
	}));
	const found = await act(
		{
			operation: 'upsert',
			email: '={{ $json.email }}',
			customerFields: columns(names),
			options: { clearEmptyFields },
		},
		items,
	);
	for (const [index, each] of given.entries()) {
		if (!wasDone(found[index])) continue;
		const known = Object.entries(each.fields).filter(([name]) => names.includes(name));
		lay(each.email, Object.fromEntries(known), clearEmptyFields);
	}
}
/** An item may only fail where its answer was lost, or where nobody can know better. */
function wasDone(item: IDataObject = {}): boolean {
	if (item.error === undefined) return true;
	if (item.error === 'Gateway Timeout') return (wasLost = true);
	const isUnsure = wasLost && String(item.error).includes('not known whether');
	if (!isBehind && !isUnsure) throw new Error(`Failed without need: ${String(item.error)}`);
	expect(item.error).toMatch(/not known whether|a moment ago|No customer has the email/);
	return false;
}

async function play(given: Step): Promise<void> {
	if ('isLost' in given && given.isLost) {
		const on = ['addCustomer', 'updateCustomer'] as const;
		sandbox.fault({ on, status: 504, workFirst: true });
	}
	const has = 'email' in given && wanted.has(given.email);
	const target = 'to' in given && given.to && !wanted.has(given.to) ? given.to : undefined;
	switch (given.kind) {
		case 'upsert': {
			const repeated = Array.from({ length: given.times }, () => given.rows).flat();
			await upsert(repeated, NAMES, given.clears);
			break;
		}
		case 'upsert twice at once':
			await Promise.all([upsert(given.rows, ['phone']), upsert(given.rows, ['billingCity'])]);
			break;
		case 'create': {
			if (has) break;
			const [made] = await act({
				operation: 'create',
				customerFields: { ...given.fields, email: given.email },
			});
			if (wasDone(made)) lay(given.email, given.fields);
			break;
		}
		case 'update': {
			if (!has) break;
			const customerId = given.isByID ? by('id', idOf(given.email)) : by('email', given.email);
			const [changed] = await act({
				operation: 'update',
				customerId,
				customerFields: { ...given.fields, ...(target && { email: target }) },
				options: { clearEmptyFields: given.clears },
			});
			if (!wasDone(changed)) break;
			lay(given.email, given.fields, given.clears);
			if (target) move(given.email, target);
			break;
		}
		case 'delete': {
			if (!has) break;
			const customerId = given.isByID ? by('id', idOf(given.email)) : by('email', given.email);
			const [gone] = await act({ operation: 'delete', customerId });
			if (wasDone(gone)) wanted.delete(given.email);
			break;
		}
		case 'the list falls behind':
		case 'the list catches up':
			isBehind = given.kind === 'the list falls behind';
			// For a minute, whoever is not found by ID may just have been made here.
			if (!isBehind) later(60_000);
			sandbox.holdCustomerList(isBehind);
			break;
		case 'others add':
			// What others make while the list is behind, nobody can know of.
			if (has || isBehind) break;
			sandbox.addCustomer({ ...blank, ...given.fields, email: given.email });
			lay(given.email, given.fields);
			break;
		case 'others change':
			if (!has) break;
			sandbox.updateCustomer(idOf(given.email), given.fields);
			lay(given.email, given.fields, true);
			if (!target || isBehind) break;
			sandbox.updateCustomer(idOf(given.email), { email: target });
			move(given.email, target);
			break;
		case 'others delete':
			if (!has) break;
			sandbox.removeCustomer(idOf(given.email));
			wanted.delete(given.email);
			if (!isBehind) later(60_000);
	}
	sandbox.clearFaults();
}

test('one customer for each email, and each field as it was last set', async () => {
	await fc.assert(
		fc.asyncProperty(
			service,
			fc.array(step, { maxLength: 10, size: 'max' }),
			async (settings, steps) => {
				later(601_000);
				sandbox.reset();
				wanted.clear();
				isBehind = wasLost = false;
				Object.assign(sandbox.settings, settings);
				for (const each of steps) {
					await play(each);
					const found = stored().map(({ email: of, form }) => [of, form] as const);
					expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
					expect(found).toHaveLength(wanted.size);
				}
			},
		),
		{ numRuns: RUNS, endOnFailure: process.env.STORM_SHRINK === undefined },
	);
});
