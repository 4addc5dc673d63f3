import {
	ACCOUNT_NUMBER,
	CARD_TOKEN,
	DECLINED_ACCOUNT_NUMBER,
	DECLINED_CARD_TOKEN,
	PENDING_CARD_TOKEN,
	RETURNED_ACCOUNT_NUMBER,
	ROUTING_NUMBER,
} from './paymentMethod';

/** The cards and bank accounts to try, as the demo and `npm run sandbox` print them. */

const MINUTES = 2;

/** For people who watch: long enough to see a payment pending, short enough to wait for. */
export const BANK_CAPTURES_AFTER = MINUTES * 60_000;

const methods: ReadonlyArray<[what: string, outcome: string]> = [
	[`Card token     ${CARD_TOKEN}`, 'pays'],
	[`Card token     ${DECLINED_CARD_TOKEN}`, 'is declined; so is an expiry date in the past'],
	[`Card token     ${PENDING_CARD_TOKEN}`, 'stays pending'],
	[`Bank account   ${ACCOUNT_NUMBER}`, `is pending, and pays after ${MINUTES} minutes`],
	[
		`Bank account   ${RETURNED_ACCOUNT_NUMBER}`,
		`pays after ${MINUTES} minutes; the payment is returned after ${2 * MINUTES}`,
	],
	[`Bank account   ${DECLINED_ACCOUNT_NUMBER}`, 'is declined'],
];

export function testMethods(): string {
	const lines = methods.map(([what, outcome]) => `  ${what.padEnd(30)}${outcome}`);
	return `Cards and bank accounts to try (any CVC, an expiry date in the future, routing number ${ROUTING_NUMBER})
${lines.join('\n')}`;
}
