import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { engine, output } from '../../engine';
import { CARD, CHARGE, REFERENCE, UNKNOWN, continueOnFail, inSeconds, useCharges } from './charges';

/** Until the events show a payment, Get Status reports the charges that this process has sent. */

const { sandbox, runNode, runCharge, charge, chargeError, cart, event } = useCharges();

beforeEach(() => (sandbox.settings.eventLag = Infinity));

async function getStatus(more: INodeParameters = {}): Promise<IDataObject> {
	const fixed = { resource: 'payment', operation: 'getStatus', referenceId: REFERENCE };
	const [item = {}] = output(await runNode({ ...fixed, ...more }));
	return item;
}

const loseAnswer = () => sandbox.fault({ on: CHARGE, drop: 'after' });
const waiting = { waitForOutcome: true, options: { waitTimeout: 1 } };

const pendingStatus = {
	summary: expect.stringMatching(
		/^A charge of \$25\.00 was sent on \d{4}-\d\d-\d\d at \d\d:\d\d UTC; its outcome is not known yet \(reference ORDER-7731\)$/,
	),
	referenceID: REFERENCE,
	outcome: 'pending',
	found: true,
	amount: 25,
	amountFormatted: '$25.00',
	currency: 'USD',
	events: [],
};
test('a charge under way is pending', async () => {
	let status: IDataObject = {};
	const look = async () => (status = await getStatus());
	let looked: Promise<unknown> = Promise.resolve();
	sandbox.fault({ on: CHARGE, delay: 1_000, run: () => void (looked = look()) });
	expect(await charge()).toMatchObject([{ charged: true }]);
	await looked;
	expect(status).toMatchObject(pendingStatus);
});

describe('a charge that was captured', () => {
	test('succeeded even if no event shows it, and Get Status does not wait', async () => {
		const [{ transactionID } = {}] = await charge();
		const status = await getStatus({ waitForOutcome: true });
		expect(status).toMatchObject({
			...pendingStatus,
			summary: `Payment of $25.00 (reference ${REFERENCE}) succeeded`,
			outcome: 'succeeded',
			transactionID,
		});
		expect(sandbox.clock.now().getTime() - Date.parse(String(status.date))).toBeLessThan(60_000);
	});

	test('succeeded even if another attempt failed, before or since', async () => {
		event('failed', { transactionID: 'first', date: inSeconds(-60) });
		const [{ transactionID } = {}] = await charge();
		event('failed', { transactionID: 'third', date: inSeconds(5) });
		expect(await getStatus()).toMatchObject({ outcome: 'succeeded', amount: 25, transactionID });
	});

	test('was returned once its own failure shows', async () => {
		const [{ transactionID = '' } = {}] = await charge();
		event('failed', { transactionID: String(transactionID), date: inSeconds(5) });
		const returned = { outcome: 'returned', found: true, amount: 25, transactionID };
		expect(await getStatus()).toMatchObject(returned);
	});

	test('succeeded even if an attempt with its transaction ID failed in the same second', async () => {
		sandbox.clock.set(new Date('2026-03-01T12:00:00.400Z'));
		event('failed', { transactionID: 'txn_1', date: '2026-03-01T12:00:00.300Z' });
		sandbox.fault({
			on: CHARGE,
			answer: (answer) => {
				Object.assign(sandbox.charges[0] ?? {}, { transactionID: 'txn_1' });
				return { ...Object(answer), transactionID: 'txn_1' };
			},
		});
		expect(await charge()).toMatchObject([{ charged: true, transactionID: 'txn_1' }]);
		expect(await getStatus()).toMatchObject({ outcome: 'succeeded', transactionID: 'txn_1' });
	});

	test.each([
		['refunded', 'refund', 'txn_refund'],
		['returned', 'failed', 'txn_first'],
	])(
		'counts even if an earlier payment of the reference was %s',
		async (_, type, transactionID) => {
			event('success', { transactionID: 'txn_first', amount: 2500, date: inSeconds(-600) });
			event(type, { transactionID, amount: 2500, date: inSeconds(-300) });
			expect(await getStatus({ expectedAmount: '25' })).toMatchObject({ matches: false });
			await charge({ options: { allowRepeatCharge: true } });
			expect(await getStatus({ expectedAmount: '25' })).toMatchObject({ matches: true });
		},
	);

	test('counts each time, if repeats are allowed', async () => {
		const repeats = { options: { allowRepeatCharge: true } };
		await charge(repeats, { items: [{}, {}] });
		const both = { outcome: 'succeeded', amount: 50, payments: 2, matches: false, difference: 25 };
		expect(await getStatus({ expectedAmount: '25' })).toMatchObject(both);
	});

	test('counts once when its event shows', async () => {
		const [{ transactionID } = {}] = await charge();
		sandbox.settings.eventLag = 0;
		const shown = { outcome: 'succeeded', amount: 25, transactionID, events: [expect.anything()] };
		expect(await getStatus()).toMatchObject(shown);
	});

	test('is not known to another process, whose summary names the possible reasons', async () => {
		await charge();
		engine.restart();
		expect(await getStatus()).toMatchObject({
			summary: `No payment found for ${REFERENCE}. It may not be paid or settled yet, or the reference is different.`,
			outcome: 'notFound',
			found: false,
		});
	});

	test('does not count for another reference', async () => {
		await charge({ paymentData: cart({ referenceID: 'ANOTHER' }) });
		expect(await getStatus()).toMatchObject({ outcome: 'notFound' });
	});
});

describe('a charge without an outcome', () => {
	test('is pending, and Get Status waits until its event shows', async () => {
		loseAnswer();
		expect(await chargeError()).toMatch(UNKNOWN);
		expect(await getStatus({ expectedAmount: '25' })).toMatchObject({
			...pendingStatus,
			matches: null,
			difference: null,
			payments: 0,
			transactionID: null,
		});
		expect(await getStatus(waiting)).toMatchObject({ outcome: 'pending' });
		const shows = () => void (sandbox.settings.eventLag = 0);
		sandbox.fault({ on: 'webhookEvents', after: 1, run: shows });
		expect(await getStatus({ waitForOutcome: true })).toMatchObject({ outcome: 'succeeded' });
	});

	test('outranks a failure before it, and not one after it, which may be its own', async () => {
		event('failed', { transactionID: 'first', date: inSeconds(-60) });
		expect(await getStatus()).toMatchObject({ outcome: 'failed' });
		loseAnswer();
		expect(await chargeError()).toMatch(UNKNOWN);
		expect(await getStatus()).toMatchObject({ ...pendingStatus, events: [expect.anything()] });
		event('failed', { transactionID: 'second', date: inSeconds(5) });
		expect(await getStatus({ waitForOutcome: true })).toMatchObject({ outcome: 'failed' });
	});

	test('outranks the failure of an attempt that was refused before it, even if that is listed late', async () => {
		sandbox.clock.set(new Date('2026-03-01T12:00:00.400Z'));
		sandbox.fault({ on: CHARGE, status: 402, body: { error: 'Card declined' } });
		loseAnswer();
		const card = { details: { ...CARD, cardToken: '={{ $json.token }}' } };
		const items = [{ token: 'tok_declined' }, { token: CARD.cardToken }];
		const run = await runCharge({ paymentData: cart(), card }, { items, settings: continueOnFail });
		expect(run.items[1]?.error).toMatch(/It is not known/);
		event('failed', { transactionID: 'txn_declined', date: '2026-03-01T12:00:00.500Z' });
		expect(await getStatus()).toMatchObject({ outcome: 'pending' });
	});

	test('stays pending if the execution that it waited for was refused, and that failure is listed late', async () => {
		let declinedAt = '';
		const declines = () => void (declinedAt = sandbox.clock.now().toISOString());
		const declined = { status: 402, body: { error: 'Card declined' } };
		sandbox.fault({
			on: CHARGE,
			delay: 1_500,
			...declined,
			run: () => void setTimeout(declines, 1_400),
		});
		loseAnswer();
		const errors = await Promise.all([chargeError(), chargeError()]);
		expect(errors).toEqual([
			expect.stringMatching(/^Card declined/),
			expect.stringMatching(UNKNOWN),
		]);
		event('failed', { transactionID: 'txn_declined', date: declinedAt });
		expect(await getStatus()).toMatchObject({ outcome: 'pending' });
	});

	test('is pending although an earlier payment was returned, if repeats are allowed', async () => {
		event('success', { transactionID: 'txn_first', amount: 1000, date: inSeconds(-600) });
		event('failed', { transactionID: 'txn_first', date: inSeconds(-300) });
		loseAnswer();
		await chargeError({ options: { allowRepeatCharge: true } });
		const twoEvents = [expect.anything(), expect.anything()];
		expect(await getStatus(waiting)).toMatchObject({ ...pendingStatus, events: twoEvents });
	});

	test('is known by its transaction, and is pending until that has failed', async () => {
		sandbox.fault({ on: CHARGE, body: { transactionID: 'txn_ach', status: 'PENDING' } });
		await charge();
		event('failed', { transactionID: 'txn_other', date: inSeconds(5) });
		const pending = { outcome: 'pending', amount: 25, transactionID: 'txn_ach' };
		expect(await getStatus()).toMatchObject(pending);
		event('failed', { transactionID: 'txn_ach', date: inSeconds(6) });
		expect(await getStatus()).toMatchObject({ outcome: 'failed', transactionID: 'txn_ach' });
	});

	test('does not count if the gateway refused it', async () => {
		sandbox.fault({ on: CHARGE, status: 402, body: { message: 'Card declined' } });
		expect(await chargeError()).toContain('Card declined');
		expect(await getStatus()).toMatchObject({ outcome: 'notFound' });
	});
});
