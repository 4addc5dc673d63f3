import { engine, log, output, withDeduplicationStore } from '../../engine';
import { secretsIn } from '../../reliability/secrets';
import type { Fault } from '../../sandbox';
import {
	CARD,
	CHARGE,
	GARBLED,
	REFERENCE,
	UNKNOWN,
	continueOnFail,
	chargedOnce,
	retry,
	unknown,
	useCharges,
	errorText,
	inSeconds,
} from './charges';

/**
 * A charge is one request. A refusing HTTP status, or a refusing status in the answer, means that nothing
 * was charged. With a transaction ID, CAPTURED means charged, and any other status pending. After
 * anything else the outcome is unknown, and the charge is never sent again.
 */

const { sandbox, runNode, runCharge, charge, chargeError, cart, event, counts } = useCharges();

const result = {
	charged: true,
	outcome: 'charged',
	amount: 25,
	amountFormatted: '$25.00',
	transactionID: expect.stringMatching(/^txn_/),
	status: 'CAPTURED',
	referenceID: REFERENCE,
	environment: 'sandbox',
};

test('items are charged one by one, and their results keep the order of items and fields', async () => {
	const references = ['A', 'B', 'C'];
	const items = references.map((referenceID) => ({ cart: cart({ referenceID }) }));
	const rows = await charge({ paymentData: '={{ $json.cart }}' }, { items });
	expect(rows).toEqual(references.map((referenceID) => ({ ...result, referenceID })));
	expect(Object.keys(rows[0] ?? {})).toEqual(Object.keys(result));
	const steps = sandbox.requests.map(({ endpoint }) => endpoint);
	expect(steps.filter((endpoint) => endpoint !== 'webhookEvents')).toEqual(
		items.flatMap(() => ['computeTokenizedCheckout', CHARGE]),
	);
});

describe('every answer', () => {
	let made = 0;
	const answerWith = (status: string, more: object = {}) => {
		return { transactionID: `txn_answer_${++made}`, status, ...more };
	};
	type Answer = Fault & { why?: RegExp };
	const http = (status: number, body: unknown, why = /^/): Answer => ({ status, body, why });
	const afterCharging = (status: number, body: object | string): Answer => {
		return { status, body, workFirst: true };
	};
	const noCard = { message: 'No such card' };
	const duplicate = answerWith('HELD_FOR_REVIEW', { message: 'Duplicate transaction' });
	const answers: Record<'charged' | 'pending' | 'refused' | 'unknown', Answer[]> = {
		charged: [
			{ answer: (data) => ({ data }) },
			{ answer: (data) => ({ ...Object(data), status: 'captured', error: null }) },
		],
		refused: [
			// These HTTP statuses refuse, whatever the body contains, unless that is CAPTURED.
			http(400, noCard, /^No such card\nNothing was charged\. You can/),
			http(401, {}, /^The gateway answered 401 .*\nNothing .* Check 'Group ID'/),
			http(402, { error: { message: 'Card declined' } }, /^Card declined\n/),
			http(403, answerWith('PENDING'), /\nNothing was charged\. /),
			http(404, { errors: [{ message: 'No cart' }] }, /^No cart\nNothing was charged\. /),
			http(405, { data: answerWith('AUTHORIZED') }),
			http(422, duplicate, /^Duplicate/),
			http(429, { error: 'Not so fast' }, /^Not so fast\nNothing was charged\. /),
			// With a good status, the one in the answer decides.
			...['DECLINED', 'FAILED', 'REFUSED', 'rejected', 'VOIDED'].map((status) =>
				http(200, answerWith(status)),
			),
			http(200, { status: 'DECLINED', message: 'Not so' }, /^Not so\nNothing was/),
			http(201, { data: answerWith('DECLINED') }, /^The gateway answered DECLINED \(tran/),
		],
		pending: ['PENDING', 'Captured?', 'NOT_AUTHORIZED', 'SETTLED'].map((status) =>
			http(200, answerWith(status)),
		),
		unknown: [
			afterCharging(400, answerWith('CAPTURED')),
			afterCharging(422, { data: answerWith('captured') }),
			afterCharging(400, { ...answerWith('DECLINED'), data: answerWith('CAPTURED') }),
			afterCharging(400, { ...answerWith('CAPTURED'), data: answerWith('DECLINED') }),
			{ drop: 'before' },
			{ drop: 'after' },
			afterCharging(200, '{"transactionID": "txn_1'),
			{ answer: () => ({ status: 'CAPTURED' }) },
			{ answer: (data) => ({ ...Object(data), error: 'Declined' }) },
			{ status: 302, headers: { Location: `/api/gateway/${CHARGE}` } },
			afterCharging(408, { error: 'Too late' }),
			afterCharging(409, { error: 'Conflict' }),
			afterCharging(500, answerWith('DECLINED')),
			afterCharging(502, '<html>Bad</html>'),
		],
	};

	test('is reported with the right outcome; only a refused charge can be sent again, even after a restart', async () => {
		sandbox.settings.eventLag = Infinity;
		await withDeduplicationStore();
		const listed = Object.entries(answers).flatMap(([expected, each]) =>
			each.map((answer) => ({ expected, ...answer })),
		);
		const all = listed.map(({ expected, why = /^/, ...fault }, index) => {
			const referenceID = `CART-${index}`;
			const paymentData = cart({ referenceID });
			const when = ({ body }: { body: unknown }) => JSON.stringify(body).includes(paymentData);
			sandbox.fault({ on: CHARGE, when, ...fault });
			// Each in a node of its own: charges of one node wait for each other.
			const settings = { ...continueOnFail, id: `node-${index}` };
			const run = async () => (await runCharge({ paymentData }, { settings })).items[0] ?? {};
			return { expected, why: expected === 'unknown' ? unknown(referenceID) : why, fault, run };
		});
		const chargeAndCheck = async ({ expected, why, fault, run }: (typeof all)[number]) => {
			const { error = '', message = '', outcome } = await run();
			const text = `${String(error)}\n${String(message)}`;
			expect(text).not.toMatch(GARBLED);
			const hasOutcome = expected === 'charged' || expected === 'pending';
			expect([fault, outcome]).toEqual([fault, hasOutcome ? expected : undefined]);
			expect(text).toMatch(why);
		};
		await Promise.all(all.map(chargeAndCheck));
		expect(counts()).toMatchObject({ chargeRequests: all.length });
		engine.restart();
		const isChargedAgain = await Promise.all(
			all.map(async ({ run }) => (await run()).charged === true),
		);
		expect(isChargedAgain).toEqual(all.map(({ expected }) => expected === 'refused'));
	}, 120_000);
});

test.each([
	[
		REFERENCE,
		UNKNOWN,
		/^The request was sent, .*The payment blocks its reference for 30 days and is never charged again by itself/,
	],
	['', /not known .*Do not send it again; look for it with Event → Get Many/, /^(?!.*blocks)/],
])(
	'the error of an unknown outcome says what is blocked and where to look (%j)',
	async (referenceID, message, blocks) => {
		sandbox.settings.eventLag = Infinity;
		sandbox.fault({ on: CHARGE, drop: 'after' });
		const options = { allowRepeatCharge: referenceID === '' };
		const parameters = { paymentData: cart({ referenceID }), options };
		const { error } = await runCharge(parameters, { items: [{}, {}], settings: retry });
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(blocks);
		expect(error?.description).toMatch(
			/nothing appears for a day \(for a bank debit: five business days\).*'Allow Repeat Charge'/,
		);
		expect(error?.context?.itemIndex).toBe(0);
		expect(counts()).toEqual(chargedOnce);
	},
);

test('a charge that is cancelled in flight has an unknown outcome, and is not sent again', async () => {
	sandbox.settings.eventLag = Infinity;
	await withDeduplicationStore();
	const stop = new AbortController();
	const abort = () => setImmediate(() => stop.abort());
	sandbox.fault({ on: CHARGE, delay: Infinity, run: abort });
	for (const options of [{ signal: stop.signal, settings: retry }, {}]) {
		expect(await chargeError({}, options)).toMatch(UNKNOWN);
	}
	expect(counts()).toEqual(chargedOnce);
});

test('a refused charge is tried again by Retry On Fail, and by the next item with another card', async () => {
	const declined = { transactionID: 'txn_1', status: 'DECLINED' };
	sandbox.fault({ on: CHARGE, body: declined });
	await charge({ paymentData: cart({ referenceID: 'R' }) }, { settings: retry });
	const card = { details: { ...CARD, cardToken: '={{ $json.token }}' } };
	const items = [{ token: 'tok_declined' }, { token: CARD.cardToken }, { token: CARD.cardToken }];
	const run = await runCharge({ paymentData: cart(), card }, { items, settings: continueOnFail });
	expect(run.items).toMatchObject([
		{ error: 'Card declined' },
		{ charged: true },
		{ status: 'ALREADY_PAID' },
	]);
	expect(counts()).toMatchObject({ chargeRequests: 4, charges: 2 });
});

describe('a charge that the gateway has not settled yet', () => {
	const pending = {
		...result,
		charged: null,
		outcome: 'pending',
		status: 'PENDING',
		transactionID: expect.any(String),
	};
	beforeEach(() => {
		sandbox.settings.chargeStatus = 'PENDING';
		sandbox.settings.eventLag = Infinity;
	});

	test('is a result, and is not sent again; later the events decide its outcome', async () => {
		const rows = [...(await charge({}, { items: [{}, {}] })), ...(await charge())];
		expect(rows).toEqual(rows.map(() => pending));
		sandbox.settings.eventLag = 0;
		const { transactionID } = rows[0] ?? {};
		expect(await charge()).toMatchObject([{ outcome: 'alreadyPaid', transactionID }]);
		expect(counts()).toEqual(chargedOnce);
	});

	test('once the events show its failure, its own node can charge again, even after another node was declined', async () => {
		await withDeduplicationStore();
		sandbox.fault({ on: CHARGE, body: { transactionID: 'txn_ach', status: 'PENDING' } });
		expect(await charge()).toEqual([pending]);
		// The failure of another transaction does not count.
		event('failed', { transactionID: 'txn_other' });
		expect(await charge()).toEqual([pending]);
		event('failed', { transactionID: 'txn_ach' });
		sandbox.fault({ on: CHARGE, body: { transactionID: 'txn_card', status: 'DECLINED' } });
		expect(await chargeError({}, { settings: { id: 'another' } })).toMatch(/Nothing was charged/);
		sandbox.settings.chargeStatus = 'CAPTURED';
		expect(await charge()).toMatchObject([{ charged: true }]);
		expect(counts()).toMatchObject({ chargeRequests: 3, charges: 1 });
	});

	test('its failure settles it, even if an earlier failure is dated in the future', async () => {
		event('failed', { transactionID: 'txn_old', date: '2099-01-01T00:00:00Z' });
		sandbox.fault({ on: CHARGE, body: { transactionID: 'txn_ach', status: 'PENDING' } });
		expect(await charge()).toEqual([pending]);
		event('failed', { transactionID: 'txn_ach', date: inSeconds(2) });
		sandbox.settings.chargeStatus = 'CAPTURED';
		expect(await charge()).toMatchObject([{ charged: true }]);
	});

	test('an earlier failure with its transaction ID does not settle it: Get Status waits', async () => {
		event('failed', { transactionID: 'txn_1' });
		sandbox.fault({ on: CHARGE, body: { transactionID: 'txn_1', status: 'PENDING' } });
		for (let times = 0; times < 2; times++) expect(await charge()).toEqual([pending]);
		expect(counts()).toMatchObject({ chargeRequests: 1 });
		const shows = () => void event('success', { transactionID: 'txn_1' });
		sandbox.fault({ on: 'webhookEvents', after: 1, run: shows });
		const getStatus = { operation: 'getStatus', referenceId: REFERENCE, waitForOutcome: true };
		const rows = output(await runNode({ resource: 'payment', ...getStatus }));
		expect(rows).toMatchObject([{ outcome: 'succeeded', transactionID: 'txn_1' }]);
	});
});

test('the card token appears in no error or log, and the CVC in no error text', async () => {
	const { cardToken, cvc } = CARD;
	const message = `Bad card ${cardToken}, code ${cvc}`;
	sandbox.fault({ on: CHARGE, body: { transactionID: 'txn_1', status: 'DECLINED', message } });
	const run = await runCharge();
	const shown = `${errorText(run)} ${JSON.stringify(run.error)} ${log.lines.join('\n')}`;
	expect(shown).toContain('Bad card');
	expect(secretsIn(shown, [cardToken])).toEqual([]);
	expect(secretsIn(errorText(run), [cvc])).toEqual([]);
});

test('a reference that equals the code of the card is shown and not masked', async () => {
	const referenceID = CARD.cvc;
	sandbox.fault({ on: CHARGE, status: 500, body: `Code ${CARD.cvc} is wrong` });
	const text = await chargeError({ paymentData: cart({ referenceID }) });
	expect(text).toContain(`with the reference "${referenceID}"`);
	expect(text).toContain('Code •••• is wrong');
});
