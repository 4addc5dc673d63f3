import { saidAccounts } from '../../nodes/PaymentsGateway/output/sentences';

/** The number of an account or card is known in a sentence, and no other number is taken for one. */

const said = (text: string) => saidAccounts(text).map(({ from, to }) => text.slice(from, to));

const NUMBER = '000123456789';

test.each([
	'account @ is closed',
	'Accounts: @, 5',
	'ACCT @.',
	'routing # @',
	'The aba (@) is wrong',
	'transit: "@"',
	"iban '@'",
	'card @',
	'Cards with number @',
	'account number is the @',
	'The account with ending in: @',
	'account no. of bank @',
	'@ is not a valid account',
	'@ is an unknown bank account.',
	'@ account',
	'"@" was your card',
	'(@) is the wrong savings account',
	'@ are not cards, no',
])('%s', (sentence) => {
	for (const number of [NUMBER, '12345678', '0001 2345 6789', '0001-2345-6789', '1'.repeat(41)]) {
		const text = sentence.replace('@', number);
		expect(said(text)).toEqual([number]);
		expect(saidAccounts(text)).toEqual([
			{
				from: sentence.indexOf('@'),
				to: sentence.indexOf('@') + number.length,
				put: `••••${number.slice(-4)}`,
			},
		]);
	}
});

test.each([
	`order ${NUMBER}`,
	`account of order ${NUMBER}`,
	`account, order ${NUMBER}`,
	`accountant ${NUMBER}`,
	`my-card ${NUMBER}`,
	`/card ${NUMBER}, x.card ${NUMBER}, a@card ${NUMBER}, _card ${NUMBER}`,
	'card 1234567',
	`card${NUMBER}`,
	`card x${NUMBER}`,
	`card ${NUMBER}x`,
	`card ${NUMBER}-x`,
	`card ${NUMBER}.50`,
	`card ${NUMBER},50`,
	'card 2026-11-21',
	'account of 2026-11-21',
	`account with no number in the bank ${NUMBER}`,
	`${NUMBER} is the order of your account`,
	`x${NUMBER} is an account`,
	`1.${NUMBER} is an account`,
	`-${NUMBER} account`,
	'1234567 is not a valid account',
	`${NUMBER} accountant`,
])('%s: no account', (text) => {
	expect(said(text)).toEqual([]);
});

test('each of several is known', () => {
	expect(
		said(`card 4111111111111111 of account ${NUMBER}, or 12345678 is a closed account`),
	).toEqual(['4111111111111111', NUMBER, '12345678']);
});
