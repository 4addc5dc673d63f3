import { namedValues } from '../../nodes/PaymentsGateway/output/namedValues';

/** A value is hidden where a sensitive name stands beside it, and nothing else is. */

const masked = (text: string) =>
	namedValues(text)
		.sort((a, b) => b.from - a.from)
		.reduce((words, { from, to, put }) => words.slice(0, from) + put + words.slice(to), text);

describe('beside a name, in an assignment, is hidden', () => {
	test.each([
		['accountNumber=000123456789&x=12345', 'accountNumber=••••6789&x=12345'],
		['accountNumber:000123456789', 'accountNumber:••••6789'],
		['accountNumber = "0001 2345 6789" and 5', 'accountNumber = "••••6789" and 5'],
		['"accountNumber": "0001-2345-6789", "a": 12345', '"accountNumber": "••••6789", "a": 12345'],
		["{'accountNumber': '12'}", "{'accountNumber': '••••'}"],
		['accountNumber -> 12345678', 'accountNumber -> ••••5678'],
		["'accountNumber' => '12345678'", "'accountNumber' => '••••5678'"],
		['cvc=1', 'cvc=••••'],
		['cvc=A123', 'cvc=••••'],
		['cvcvalue=123', 'cvcvalue=••••'],
		['iban: DE89370400440532013000', 'iban: ••••3000'],
		['accountNumber {12345678}', 'accountNumber {••••5678}'],
		['accountNumber (see below) 12345678', 'accountNumber (see below) ••••5678'],
		['accountNumber {value: 12345678}', 'accountNumber {value: ••••5678}'],
		[
			'accountNumber: {"raw": "12345678", "b": 99999}',
			'accountNumber: {"raw": "••••5678", "b": 99999}',
		],
		["accountNumber: {'$value': 12345678}", "accountNumber: {'$value': ••••5678}"],
		['https://x.example/?cvc=123&a=4567', 'https://x.example/?cvc=••••&a=4567'],
	])('%s', (text, left) => {
		expect(masked(text)).toBe(left);
	});
});

describe('beside a name, in a list under its name, is hidden', () => {
	test.each([
		['accountNumber: [123, 456]', 'accountNumber: [••••]'],
		['accountNumber: ["12345", "67890"], "b": 12345', 'accountNumber: ["••••], "b": 12345'],
		['accountNumber: [12345 }, 67890', 'accountNumber: [••••}, 67890'],
		['cvc: ["123", "456"] or 789', 'cvc: ["••••] or 789'],
	])('%s', (text, left) => {
		expect(masked(text)).toBe(left);
	});
});

describe('beside a name, in a sentence, is hidden', () => {
	test.each([
		['Account number 12345678 is closed', 'Account number ••••5678 is closed'],
		['account number: 12345', 'account number: ••••2345'],
		['account number was not found: 12345678', 'account number was not found: ••••5678'],
		[
			'The accountNumber given is 12345678, of 99999999',
			'The accountNumber given is ••••5678, of 99999999',
		],
		['accountNumber. 12345678', 'accountNumber. ••••5678'],
		['account number 12345678AB', 'account number ••••5678AB'],
		['account number 1234 5678 of 99', 'account number ••••5678 of 99'],
		['account number 1.234.567.89.', 'account number ••••6789.'],
		['account number 12345.6', 'account number ••••2345.6'],
		['account number 12_34_56', 'account number ••••3456'],
		['account number 12/34+56', 'account number ••••3456'],
		['CVC 123 does not match', 'CVC •••• does not match'],
		['cvc: A123', 'cvc: ••••'],
		['cvc value 123', 'cvc value ••••'],
		['security_code: 1234', 'security_code: ••••'],
		['PAN 41111111', 'PAN ••••1111'],
		['PAN4111111111111111', 'PAN••••1111'],
		['pan-4111111111111111', 'pan-••••1111'],
	])('%s', (text, left) => {
		expect(masked(text)).toBe(left);
	});
});

describe('beside a name, in a list of names and values, is hidden', () => {
	test.each([
		['"accountNumber","12345678"', '"accountNumber","••••5678"'],
		['"accountNumber", 12345678', '"accountNumber", ••••5678'],
		["'accountNumber', '12345678'", "'accountNumber', '••••5678'"],
		['["cvc","123"]', '["cvc","••••"]'],
	])('%s', (text, left) => {
		expect(masked(text)).toBe(left);
	});
});

describe('beside a name, in elements, is hidden', () => {
	test.each([
		['<accountNumber>12345678</accountNumber>', '<accountNumber>••••5678</accountNumber>'],
		['<accountNumber> 12 </accountNumber>', '<accountNumber> •••• </accountNumber>'],
		['<ns:accountNumber type="x">12345678', '<ns:accountNumber type="x">••••5678'],
		['<accountNumber><a><b><c>12345678', '<accountNumber><a><b><c>••••5678'],
		['<accountNumber>\n<![CDATA[ 12345678 ]]>', '<accountNumber>\n<![CDATA[ ••••5678 ]]>'],
		['<accountNumber value="12345678"/>', '<accountNumber value="••••5678"/>'],
		['<accountNumber x="1" val=\'12345678\'/>', '<accountNumber x="1" val=\'••••5678\'/>'],
		[
			'<accountNumber x="1" $content = "12345678"/>',
			'<accountNumber x="1" $content = "••••5678"/>',
		],
		['Account number: <b>12345678</b>', 'Account number: <b>••••5678</b>'],
		['<td>accountNumber</td><td>12345678</td>', '<td>accountNumber</td><td>••••5678</td>'],
		[
			'<th>accountNumber</th></tr> <tr><td>12345678',
			'<th>accountNumber</th></tr> <tr><td>••••5678',
		],
		[
			'<field name="accountNumber">12345678</field>',
			'<field name="accountNumber">••••5678</field>',
		],
		[
			'<field name="accountNumber" value="12345678"/>',
			'<field name="accountNumber" value="••••5678"/>',
		],
		[
			'<field name="accountNumber" x="y" value="12345678"/>',
			'<field name="accountNumber" x="y" value="••••5678"/>',
		],
		[
			'<field value="12345678" name="accountNumber"/>',
			'<field value="••••5678" name="accountNumber"/>',
		],
		[
			'<value>12345678</value><name>accountNumber</name>',
			'<value>••••5678</value><name>accountNumber</name>',
		],
		['<cvc>12</cvc>', '<cvc>••••</cvc>'],
	])('%s', (text, left) => {
		expect(masked(text)).toBe(left);
	});
});

describe('beside a name, in fields of their own, is hidden', () => {
	test.each([
		['name=accountNumber&value=12345678', 'name=accountNumber&value=••••5678'],
		['value=12345678&name=accountNumber', 'value=••••5678&name=accountNumber'],
		['name=accountNumber;value=12345678', 'name=accountNumber;value=••••5678'],
		['name: accountNumber, content: 12345678', 'name: accountNumber, content: ••••5678'],
		['name: accountNumber | text: 12345678', 'name: accountNumber | text: ••••5678'],
		[
			'"name":"accountNumber","type":"text","value":"12345678"',
			'"name":"accountNumber","type":"text","value":"••••5678"',
		],
		['"value":"12345678","name":"accountNumber"', '"value":"••••5678","name":"accountNumber"'],
		[
			'"value":12345678,"x":"y","field":"accountNumber"',
			'"value":••••5678,"x":"y","field":"accountNumber"',
		],
		['"#text":"123", "@name":"cvc"', '"#text":"••••", "@name":"cvc"'],
	])('%s', (text, left) => {
		expect(masked(text)).toBe(left);
	});
});

test.each([
	'accountNumber (of 2) 12345678',
	'accountNumber (a remark that is far too long) 12345678',
	'accountNumber.12345678',
	'accountNumber, 12345678',
	'accountNumber; 12345678',
	'accountNumber & 12345678',
	'accountNumber € 12345678',
	'accountNumber • 12345678',
	'accountNumber * 12345678',
	'accountNumber for order 12345678',
	'accountNumber 1234',
	'accountNumber: 1234 of 5678',
	'cvc 12',
	'cvc 12 of 123',
	'cvc 1 2',
	'account number 12-34',
	"'accountNumber','1'",
	'["accountNumber","1234"]',
	'["cvc","12"]',
	'<accountNumber/>12345678',
	'<accountNumber />12345678',
	'</accountNumber>12345678',
	'<accountNumber><a><b><c><d>12345678',
	'<accountNumber><a/>12345678',
	'<accountNumber amount="12345678"/>',
	'<td>accountNumber</td><td>1234</td>',
	'<td>accountNumber</td><td>Phone</td><td>12345678</td>',
	'<field value="1234" name="accountNumber"/>',
	'<field value="12345678" x="1" name="accountNumber"/>',
	'name: accountNumber; amount: 12345678',
	'{"name":"accountNumber"},{"value":"12345678"}',
	'{"value":"12345678"},{"name":"accountNumber"}',
	'"value":"12345678","a":7,"field":"accountNumber"',
	'value: 12345678, accountNumber missing',
	'"accountNumber":"","x":"12345678"',
	'"value":"12345678","accountNumber":""',
	'"value":"12345678","accountNumber" : ""',
	"'value': '12345678', 'card[cvc]': ''",
	'"accountNumber": "", "value": "12345678"',
	'account number must have 9 digits',
	'accountNumberfoo: 12345678',
	'company: 12345678',
])('%s: no value stands beside the name', (text) => {
	expect(masked(text)).toBe(text);
});

test.each([
	['accountNumber', 'accountNumber:', '12345678', '••••5678'],
	['an element', '<accountNumber x="', '">12345678', '••••5678'],
	['a value before it', 'value=', '12345678&name=accountNumber', '••••5678'],
])('far into a text it is found too: %s', (_, before, after, put) => {
	for (const length of [0, 1, 239, 500, 5_000]) {
		const lead = 'x '.repeat(length);
		for (const tail of ['', ' y'.repeat(500)]) {
			const left = masked(`${lead}${before}${after}${tail}`);
			expect(left).toContain(put);
			expect(left).not.toContain('12345678');
		}
	}
});

test('a value that stands far from its name is somebody else’s', () => {
	for (const text of [
		`accountNumber:${' '.repeat(300)}12345678`,
		`<accountNumber x="${'y'.repeat(300)}">12345678`,
		`"value":"12345678","x":"${'y'.repeat(300)}","name":"accountNumber"`,
	]) {
		expect(masked(text)).toBe(text);
	}
});

test.each([
	'<CARDNUMBER><RAW>12345678</RAW>',
	'<TD>CARDNUMBER</TD><TD>12345678</TD>',
	'<CARDNUMBER VALUE="12345678"/>',
	'NAME=CARDNUMBER&VALUE=12345678',
	'VALUE=12345678&NAME=CARDNUMBER',
	'CARD NUMBER IS 12345678',
	"'CARDNUMBER', 'A12345678'",
])('in capitals too: %s', (text) => {
	expect(masked(text)).toContain('••••5678');
	expect(masked(text)).not.toContain('12345678');
});

test('each name has its own value', () => {
	expect(masked('accountNumber=12345678&cvc=123&routingNumber=021000021')).toBe(
		'accountNumber=••••5678&cvc=••••&routingNumber=••••0021',
	);
});
