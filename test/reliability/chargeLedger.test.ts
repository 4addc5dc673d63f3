import type { IDataObject } from 'n8n-workflow';

import type { AgentResult } from '../engine';
import { standIn } from '../engine/instance';
import type { Sandbox } from '../sandbox';
import { ChargeLedger } from './chargeLedger';

/** The ledger's counts for runs and a gateway made by hand. The tests of charges rely on these counts. */

// Both carts have the reference R-1, so they may be charged once together.
const carts = ['cart-1', 'cart-2'].map((paymentData) => ({ paymentData, referenceID: 'R-1' }));

const answerOf = (id: string, status: string) => `{"transactionID":"${id}","status":"${status}"}`;
const request = (answer: string, { status = 200, cart = 'cart-1' } = {}) => ({
	status,
	answer,
	body: { data: { paymentData: cart } },
});
const charge = (transactionID: string, paymentData = 'cart-1') => ({ transactionID, paymentData });
const charged = (transactionID: string) => ({ transactionID, charged: true });

/** A run of items that each charge one cart. */
const run = (items: IDataObject[], result: Partial<AgentResult> = {}, options = {}) => ({
	parameters: { paymentData: '={{ $json.cart }}', options },
	items: [{ cart: 'cart-1' }],
	result: { status: 'success', items, ...result } as AgentResult,
});
const UNKNOWN = 'It is not known whether this payment was charged';
const unknown = run([{ error: UNKNOWN }]);
const answered = run([], { answer: UNKNOWN });
const failed = run([{ error: 'The payment failed' }]);
const locked = run([{ error: 'Another execution is charging R-1' }]);
const cancelled = run([], { status: 'canceled' });
const stoppedByItem = (itemIndex: number) =>
	run([], { status: 'error', error: { message: 'The payment failed', context: { itemIndex } } });
const first = run([charged('t1')]);
const second = { ...run([charged('t2')]), items: [{ cart: 'cart-2' }] };
const repeated = { ...run([charged('t2')], {}, { allowRepeatCharge: true }), items: second.items };

const captured = [request(answerOf('t1', 'captured'))];
const made = [charge('t1')];
const twoRequests = [...captured, request(answerOf('t2', 'captured'), { cart: 'cart-2' })];
const twoMade = [...made, charge('t2', 'cart-2')];
const declined = [request(answerOf('t1', 'declined'))];
const pending = [request(answerOf('t1', 'pending'))];
const refused = [request('{}', { status: 402 })];
const capturedWith402 = [request('"status":"captured"', { status: 402 })];

test.each<[string, object[], object[], Array<ReturnType<typeof run>>, object]>([
	['a charge that is reported', captured, made, [first], {}],
	['a charge reported as unknown', captured, made, [unknown], {}],
	['an answer to an agent that it is unknown', captured, made, [answered], {}],
	['a charge by another execution', captured, made, [locked], {}],
	['a pending transaction in the output', pending, [], [run([{ transactionID: 't1' }])], {}],
	['a declined charge', declined, [], [failed], {}],
	['a declined transaction in the output', declined, [], [run([{ transactionID: 't1' }])], {}],
	['a charge that is reported as failed', captured, made, [failed], { unclear: 1 }],
	['a pending transaction that nothing shows', pending, [], [failed], { unclear: 1 }],
	['a charge whose answer has an error status', capturedWith402, made, [failed], { unclear: 1 }],
	['a charge whose item stopped the run', captured, made, [stoppedByItem(0)], { unclear: 1 }],
	['a charge whose run another item stopped', captured, made, [stoppedByItem(1)], { unshown: 1 }],
	['a charge in a cancelled run', captured, made, [cancelled], { unshown: 1 }],
	['two charges of one reference', twoRequests, twoMade, [first, second], { doubled: 1 }],
	['an allowed second charge', twoRequests, twoMade, [first, repeated], {}],
	['a refusal reported as unknown', refused, [], [unknown], { falseAlarms: 1 }],
	['unknown, though nothing was sent', [], [], [unknown], { falseAlarms: 1 }],
	['a reported charge that nobody made', [], [], [first], { neverMade: 1 }],
])('counts %s', (_, requests, charges, runs, expected) => {
	const sandbox = { charges, carts, requestsTo: () => requests };
	const ledger = new ChargeLedger(standIn<Sandbox>('sandbox', sandbox as never));
	for (const each of runs) ledger.note(each);
	const none = { unshown: 0, doubled: 0, unclear: 0, falseAlarms: 0, neverMade: 0 };
	expect(ledger.balance()).toEqual({ ...none, requests: requests.length, ...expected });
});
