import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { log, output } from '../engine';
import { get as getOne } from '../gateway/operationOfEndpoint';
import { secretsIn } from '../reliability/secrets';
import { by } from '../resources/locator';
import type { Fault } from '../sandbox';
import { useNode } from '../useNode';

/** The loop over items: bound, order and pairing, and what happens when an item fails. */

const { sandbox, credentials, run } = useNode();

const get = { ...getOne, customerId: by('id', '={{ $json.id }}') };
const methods = { ...get, resource: 'paymentMethod', operation: 'getAll' };
const charge = { resource: 'payment', operation: 'charge', paymentData: '={{ $json.none }}' };
/** No list of payment methods: the node cannot work with it. */
const brokenAnswer = { body: { id: 'cus_1', paymentCards: 7 } };
const withIds = (count: number): IDataObject[] =>
	sandbox.addCustomers(count).map(({ id }) => ({ id }));

test('items run at the same time; their results come out in order, each paired with its item', async () => {
	const items = withIds(30);
	// The first take longest.
	sandbox.fault({ on: 'customer', when: () => sandbox.requests.length < 6, delay: 40, times: 6 });
	sandbox.settings.latency = 10;
	const result = await run(get, { items });
	expect(output(result).map(({ id }) => id)).toEqual(items.map(({ id }) => id));
	expect(sandbox.maxInFlight).toBeGreaterThan(1);
	expect(sandbox.requests).toHaveLength(30);
	const many = { resource: 'customer', operation: 'getAll', limit: '={{ $json.limit }}' };
	const { outputs } = await run(many, { items: [{ limit: 2 }, { limit: 1 }] });
	const paired = outputs[0]?.map(({ pairedItem }) => pairedItem);
	expect(paired).toEqual([0, 0, 1].map((item) => ({ item })));
});

describe('an item that fails', () => {
	const unknown = { id: 'cus_unknown' };
	const words = 'Customer cus_unknown not found';
	const hint = "Check 'Customer': the gateway found no such record.";

	test('stops the run: nothing more starts, and what is under way is waited for', async () => {
		const items = [...withIds(3), unknown, ...withIds(40)];
		const { error, outputs } = await run(get, { items });
		const description = `${hint} To let the other items through, set 'On Error' to Continue in the node's settings.`;
		expect(error).toMatchObject({ message: words, description, context: { itemIndex: 3 } });
		expect(outputs[0] ?? []).toEqual([]);
		expect(sandbox.requests.length).toBeLessThan(20);
		const sent = sandbox.requests.length;
		expect(sandbox.requests.every(({ status }) => status !== undefined)).toBe(true);
		await run(get, { items: [] });
		expect(sandbox.requests).toHaveLength(sent);
	});

	test('does not wait for another item that is pausing before a retry', async () => {
		const [first] = withIds(1);
		sandbox.fault({
			status: 429,
			headers: { 'Retry-After': '25' },
			when: ({ body }) => JSON.stringify(body).includes(String(first?.id)),
		});
		const items = [first ?? {}, unknown];
		expect((await run(get, { items })).error?.message).toBe(words);
		expect(sandbox.requests).toHaveLength(2);
	}, 15_000);

	test("becomes an item with the gateway's message if the flow goes on", async () => {
		const items = [...withIds(1), unknown, ...withIds(1)];
		const settings = { onError: 'continueRegularOutput' as const };
		const result = await run(get, { items, settings });
		expect(result.status).toBe('success');
		expect(result.items).toMatchObject([items[0], { error: words, message: hint }, items[2]]);
		expect(Object.keys(result.items[1] ?? {})).toEqual(['error', 'message']);
		expect(result.outputs[0]?.[1]?.pairedItem).toEqual({ item: 1 });
	});

	test('goes to the error output, together with its input', async () => {
		const [first] = withIds(1);
		const items = [unknown, { ...first }, { id: '' }].map((item, row) => ({ ...item, row }));
		const settings = { onError: 'continueErrorOutput' as const };
		const { outputs } = await run(get, { items, settings });
		expect(outputs[0]).toMatchObject([{ json: { id: first?.id }, pairedItem: { item: 1 } }]);
		expect(outputs[1]).toMatchObject([
			{ json: { id: 'cus_unknown', row: 0, error: words }, pairedItem: { item: 0 } },
			{ json: { row: 2, error: "'Customer' is empty [item 2]" }, pairedItem: { item: 2 } },
		]);
	});
});

test.each<[string, IDataObject[], INodeParameters, Fault, boolean]>([
	['an error about one of several items', [{ id: '' }, {}], get, {}, true],
	['the error of the only item', [{ id: '' }], get, {}, false],
	['an error about the credential', [{ id: 'a' }, { id: 'b' }], get, { status: 401 }, false],
	['an error of a charge', [{}, {}], charge, {}, false],
	['an unexpected error', [{ id: 'a' }, { id: 'b' }], methods, brokenAnswer, false],
])('%s has the hint to set On Error to Continue only if that helps', async (...row) => {
	const [, items, parameters, fault, isThere] = row;
	if (Object.keys(fault).length > 0) sandbox.fault({ ...fault, times: Infinity });
	const { error } = await run(parameters, { items });
	expect(error?.description?.includes('let the other items through')).toBe(isThere);
});

test('an error found while the form is read says that nothing was changed; a later one does not', async () => {
	const { error: empty } = await run(get, { items: [{ id: '' }] });
	expect(empty?.description).toMatch(/^Nothing was changed or charged/);
	const { error: incomplete } = await run({ resource: 'customer', operation: 'create' });
	expect(incomplete?.description).toMatch(/^Correct it in the node, or in the item/);
	expect(sandbox.requests).toEqual([]);
	const customerId = by('email', 'nobody@example.com');
	const { error: unknown } = await run({ ...getOne, customerId });
	expect(unknown?.description).toMatch(/^Check the email/);
});

test('a token that an expression puts into a field is nowhere in the error about the field', async () => {
	const many = { resource: 'customer', operation: 'getAll', limit: '={{ $json.limit }}' };
	const { headerToken } = sandbox.credentials;
	// Longer than what an error quotes of a value.
	const privateToken = 'private-token-'.repeat(4);
	const options = { credentials: credentials({ privateToken }) };
	for (const token of [headerToken, privateToken]) {
		const { error } = await run(many, { items: [{ limit: token }], ...options });
		expect(error?.message).toBe('\'Limit\' takes a number, such as 1, not "••••"');
		expect(secretsIn([error, error?.stack, log.lines], [token.slice(0, 20)])).toEqual([]);
	}
});

test('an unexpected error keeps its stack, and asks to be reported', async () => {
	sandbox.fault(brokenAnswer);
	const { error } = await run(methods, { items: [{ id: 'cus_1' }] });
	expect(error?.message).toContain('is not a function');
	expect(error?.description).toMatch(/please report it.*https:\/\/.*\/issues$/);
	expect(error?.stack).toMatch(/paymentMethod\/getAll\.js:\d+/);
	expect(error).toMatchObject({ context: { itemIndex: 0 } });
});

test('a cancelled execution sends nothing more', async () => {
	const items = withIds(30);
	const stop = new AbortController();
	const late = { delay: 20, times: Infinity };
	sandbox.fault({ on: 'customer', after: 3, run: () => stop.abort(), ...late });
	const { status, error } = await run(get, { items, signal: stop.signal });
	expect([status, error?.message]).toEqual(['canceled', 'The execution was canceled']);
	const sent = sandbox.requests.length;
	expect(sent).toBeLessThanOrEqual(6);
	await run(get, { items: [] });
	expect(sandbox.requests).toHaveLength(sent);
});
