/**
 * A merchant's own words, as they look in shops, invoices and links: much like what is masked, and
 * worth nothing once a part of it is gone. Keys are names of fields under which they stand.
 */
export const HARMLESS: Readonly<Record<string, unknown>> = {
	// Words that speak of what is secret
	...{ product: 'Gift card no. 12345678', name: 'Card no. 12345678 Pokemon' },
	...{ description: 'Account 0012345678 - July bill', narrative: 'account 55512345' },
	...{ notes: 'Order 737 of 4242, seat 12A', batch_id: '737' },
	...{ title: 'Routing 021000021 to Oregon', subject: 'accountNumber: 000123456789' },
	...{ comment: 'CVC 123 course, room CVC-101', remark: 'IBAN DE89 3704 0044 0532 0130 00' },
	...{ text: 'PAN 4111111111111111', letters: 'José Ørsted 李小龍 👩‍👩‍👧 \ud800 123456' },
	...{ body: '<accountNumber>000123456789</accountNumber>', csv: 'name,cvc\nAda,123' },
	...{ html: '&lt;cvc&gt;123&lt;/cvc&gt; &#48;&#48;', query: 'card_no=12345678&cvc=1' },
	// Links
	onSuccessUrl: 'https://shop.example/thanks?card_no=12345678&cvc=1',
	onFailureUrl: 'https://shop.example/retry?q=%7B%22cvc%22%3A%22123%22%7D',
	url: 'https://pay.example.com/p/CSC/1042?account-number=123456789',
	site: 'https://test.example/latest/contest',
	...{ email: 'card.no.12345678@example.com', emailAddress: 'csc2024@cvc360.example' },
	// Numbers and codes of other kinds
	...{ referenceID: 'ACCTNO123456', reference: 'account-no-123456789', invoice: 'INV-100' },
	...{ order: 'CSC-1042', orderNo: '12345678', orderNumber: '123456789012', no: 7 },
	...{ invoiceNumber: 202611210001, trackingNumber: '1Z999AA10123456784', number: '12345678' },
	...{ phoneNumber: '+15035550123', serialNumber: 'CVC-00123456', customerNumber: '100200300' },
	...{ transactionID: '123456789012', parentTransactionId: '000123456789', code: 400 },
	...{ authcode: '737000', brand_reference: '0123456789012' },
	...{ postal_code: '97477', zip: '97205-1234', phone: '+1 503 555 0123', avs_action: '5' },
	...{ amount: 1999, total: 12345678, price: 100.5, quantity: 100 },
	...{ discount: 'CVC100', discountCode: 'SECURITY2026', discountCodes: ['CVC', '12345678'] },
	// Names that are nearly sensitive
	...{ accountId: '123456789012', accountID: 'acct_123456789', accountName: 'Main 12345678' },
	...{ accountType: 'CHECKING', accountHolderType: 'PERSONAL', accountCode: '400012345' },
	...{ account: '123456789', accounts: ['12345678', 'Main'], routing: 'queue-12345' },
	...{ card: '12345678 is the order', cards: ['Magic 12345678'], cardID: 'pm_123456789012' },
	...{ cardName: 'Card 12345678', cardType: 'VISA', giftCard: '1234567890123456' },
	...{ giftCardCode: 'GIFT-1042', gift_card_number: '12345678' },
	...{ paymentCardID: 'tok_visa_4242', paymentData: 'CVC 123 k3cvc=481Zq+/accountNumber' },
	...{ token: 'pk_test_4242', publicToken: 'tok_1', last4: '4242' },
	...{ masked_number_last4: 'XXXXXXXXXXXX4242', expires: '08/29', exp_month: '08' },
	...{ cvv_result: 'M', cvvResult: '1', cvcCheck: 'pass 123', civic: '123', csv_file: '123456' },
	...{ company: 'Japan Card Co. 123456789', city_state: 'Abano, CSC', pancakes: '12345678' },
	// Other things
	...{ date: '2026-11-21T10:00:00.737+00:00', uuid: '550e8400-e29b-41d4-a716-446655440000' },
	...{ base64: 'eyJjdmMiOiIxMjMifQ==', hex: '7b22637663223a22313233227d' },
	json: '{"orderNumber":"12345678","cvvResult":"M","price":10.50}',
	...{ brokenJson: '{"cvc":"123', brackets: '[PAN] {cvc: 123} [1]', quoted: '"account 55512345"' },
	escaped: 'C:\\temp\\123456789 100%25 &amp; \\u0031',
	...{ words: ['cvc', '123', 'accountNumber', '12345678'], pair: { name: 'cvc', value: '123' } },
	pairs: [{ key: 'accountNumber', value: '12345678' }],
	field: { field: 'routingNumber', message: 'has 9 digits' },
	errors: { accountNumber: 'is required', routingNumber: ['has 9 digits'] },
	metadata: {
		...{ accountNumber: '55512345', csc: '101', cvc: 'red', json: '{"cvc":"123"}' },
		card: { number: '12345678', token: { cardToken: 'x1' } },
	},
	...{ empty: '', nothing: null, yes: true },
};
