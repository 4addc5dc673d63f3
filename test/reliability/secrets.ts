import { tally } from './tally';

/**
 * Secrets as tests plant them, and the search for them in what left: in the ways in which a service
 * may spell a text, and in the places where it may put an account number or a security code.
 */

const hex = (sign: string, width: number) => sign.charCodeAt(0).toString(16).padStart(width, '0');
const each = (text: string, spelled: (sign: string) => string) => [...text].map(spelled).join('');
const signs = (text: string, spelled: (sign: string) => string) =>
	text.replace(/[^\p{L}\p{N}]/gu, spelled);

const ENTITIES: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'"': '&quot;',
	"'": '&apos;',
	'<': '&lt;',
	'>': '&gt;',
	'=': '&equals;',
	'/': '&sol;',
	'+': '&plus;',
	':': '&colon;',
	_: '&lowbar;',
	'{': '&lcub;',
	'}': '&rcub;',
	'[': '&lsqb;',
	']': '&rsqb;',
	',': '&comma;',
};

/** A text as something on the way may spell it; of these, any may follow any other. */
export const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
	'in JSON': (text) => JSON.stringify(text),
	'in JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)),
	'in JSON with escaped slashes': (text) => JSON.stringify(text).replaceAll('/', '\\/'),
	'with \\u003d': (text) => signs(text, (sign) => `\\u${hex(sign, 4)}`),
	'with \\u003D for each letter': (text) =>
		each(text, (sign) => `\\u${hex(sign, 4).toUpperCase()}`),
	'with \\x3d': (text) => signs(text, (sign) => `\\x${hex(sign, 2)}`),
	'with \\u{3d}': (text) => signs(text, (sign) => `\\u{${hex(sign, 1)}}`),
	'URL-encoded': (text) => encodeURIComponent(text),
	'URL-encoded in small letters': (text) =>
		encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
	'URL-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
	'URL-encoded letter by letter': (text) => each(text, (sign) => `%${hex(sign, 2)}`),
	'with %u003d': (text) => signs(text, (sign) => `%u${hex(sign, 4)}`),
	'with &equals;': (text) => signs(text, (sign) => ENTITIES[sign] ?? sign),
	'with &#61;': (text) => signs(text, (sign) => `&#${sign.charCodeAt(0)};`),
	'with &#x3D;': (text) => signs(text, (sign) => `&#x${hex(sign, 2).toUpperCase()};`),
	'with &#0061; for each letter': (text) => each(text, (sign) => `&#00${sign.charCodeAt(0)};`),
	'in Base64': (text) => Buffer.from(text).toString('base64'),
	'in Base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
	'in Base64 behind a name': (text) => Buffer.from(`me:${text}`).toString('base64'),
	'in hex': (text) => Buffer.from(text).toString('hex'),
};

/** Spellings that look the same to a person. */
export const LOOKALIKES: Readonly<Record<string, (text: string) => string>> = {
	'as it is': (text) => text,
	'with invisible characters': (text) => [...text].join('\u200b'),
	'with soft hyphens': (text) => [...text].join('\u00ad'),
	'in full width': (text) =>
		text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
	'in capitals': (text) => text.toUpperCase(),
};

/** The names that services give to an account number. */
export const ACCOUNT_NAMES = [
	'accountNumber',
	'account_number',
	'ACCOUNT-NUMBER',
	'Account Number',
	'accountNo',
	'acctNumber',
	'acct_no',
	'accNo',
	'AccountNum',
	'accountNbr',
	'bankAccountNumber',
	'primaryAccountNumber',
	'confirmAccountNumber',
	'accountNumbers',
	'accountNumberValue',
	'accountNumber_2',
	'accountNumber[]',
	'accountNumber[0]',
	'ach[accountNumber]',
	'data.accountNumber',
	'ns:accountNumber',
	'account\u200bNumber',
	'routingNumber',
	'routing_no',
	'abaNumber',
	'cardNumber',
	'card_no',
	'pan',
	'PAN',
	'iban',
];

/** The names that services give to a security code. */
export const CODE_NAMES = [
	'cvc',
	'CVC',
	'cvv',
	'cvc2',
	'cvv2',
	'cvn',
	'csc',
	'cardCvc',
	'card_cvv',
	'card-cvc',
	'card[cvc]',
	'payment.card.cvc',
	'cvcCode',
	'cvvNumber',
	'securityCode',
	'security_code',
	'cardSecurityCode',
	'cardVerificationValue',
];

const json = (value: unknown) => JSON.stringify(value);

/** Where a service may put a value, and its name. */
export const PLACES: Readonly<Record<string, (name: string, value: string) => unknown>> = {
	'a field': (name, value) => ({ [name]: value }),
	'a number': (name, value) => ({ [name]: Number(value) }),
	'a list under the name': (name, value) => ({ [name]: [value, value] }),
	'an object under the name': (name, value) => ({ [name]: { raw: value } }),
	'a name and a value': (name, value) => [{ name, value }],
	'a name and a number': (name, value) => [{ name, value: Number(value) }],
	'a key and a value': (key, value) => ({ key, type: 'text', value }),
	'a value and a field': (field, value) => ({ value, field }),
	'a field name and its value': (fieldName, fieldValue) => ({ fieldName, fieldValue }),
	'a label and its values': (label, value) => ({ label, values: [value] }),
	'k and v': (k, v) => [[{ k, v }]],
	'a path and a rejected value': (path, rejectedValue) => ({ path, rejectedValue }),
	'XML as JSON': (name, value) => ({ $: { name }, _: value }),
	'more XML as JSON': (name, value) => ({ '@name': name, '#text': value }),
	'an entry': (name, value) => ({ entries: [[name, value]] }),
	'JSON in a string': (name, value) => ({ payload: json({ [name]: value }) }),
	'a number of JSON in a string': (name, value) => json({ [name]: Number(value) }),
	'a list in JSON in a string': (name, value) => json([{ [name]: [value] }]),
	'a list in JSON in JSON in a string': (name, value) =>
		json({ p: json({ q: [{ [name]: [value] }] }) }),
	'JSON three times over': (name, value) => json(json(json({ [name]: [{ z: value }] }))),
	'a pair in JSON in a string': (name, value) => json({ a: [{ name, type: 'text', value }] }),
	'the same field twice in JSON': (name, value) =>
		`{${json(name)}:${json(value)},${json(name)}:""}`,
	'JSON behind words': (name, value) => `Refused: ${json({ x: 1, [name]: value })}`,
	'JSON in JSON behind words': (name, value) => `Refused: ${json(json({ x: 1, [name]: value }))}`,
	'JSON that is cut off': (name, value) => json({ x: 1, [name]: value, y: 'zzz' }).slice(0, -4),
	'a pair in JSON that is cut off': (name, value) =>
		json([{ name, type: 'x', value }, 1]).slice(0, -3),
	'a list in JSON that is cut off': (name, value) =>
		json({ [name]: [value, value], y: 1 }).slice(0, -2),
	'JSON in a URL': (name, value) => `?q=${encodeURIComponent(json({ [name]: value }))}`,
	'JSON in a URL in a URL': (name, value) =>
		encodeURIComponent(`?q=${encodeURIComponent(json({ [name]: value }))}`),
	'a form': (name, value) => `a=1&${name}=${value}&b=2`,
	'an encoded form': (name, value) => `a=1&${encodeURIComponent(name)}=${value}&b=2`,
	'a form of pairs': (name, value) => `name=${name}&value=${value}`,
	'a form in parts': (name, value) => `form-data; name="${name}"\r\n\r\n${value}\r\n`,
	XML: (name, value) => `<a><${name}>${value}</${name}></a>`,
	'XML with an attribute': (name, value) => `<${name} type="x">\n ${value} </${name}>`,
	'XML with CDATA': (name, value) => `<${name}><![CDATA[${value}]]></${name}>`,
	'XML with an element within': (name, value) => `<${name}><value>${value}</value></${name}>`,
	'an attribute': (name, value) => `<card x="1" ${name}="${value}"/>`,
	"an attribute in '": (name, value) => `<card ${name} = '${value}'/>`,
	'a value attribute': (name, value) => `<${name} value="${value}"/>`,
	'a pair of attributes': (name, value) => `<field name="${name}" value="${value}"/>`,
	'a pair of attributes the other way': (name, value) => `<field value="${value}" name="${name}"/>`,
	'a named element': (name, value) => `<field name="${name}">${value}</field>`,
	'a pair of elements': (name, value) => `<name>${name}</name><value>${value}</value>`,
	'a table': (name, value) => `<tr><td>${name}</td><td>${value}</td></tr>`,
	'XML in HTML': (name, value) => `&lt;${name}&gt;${value}&lt;/${name}&gt;`,
	YAML: (name, value) => `a: 1\n${name}: ${value}\nb: 2`,
	Python: (name, value) => `{'${name}': '${value}'}`,
	PHP: (name, value) => `'${name}' => '${value}'`,
	'JSON in Base64': (name, value) => Buffer.from(json({ [name]: value })).toString('base64'),
	'a sentence': (name, value) => `The ${name} ${value} is closed`,
	'a sentence with is': (name, value) => `Your ${name} is ${value}.`,
	'a sentence with a colon': (name, value) => `Invalid ${name}: ${value}`,
};

/** A name in two parts, one of which holds the other. */
export const PARTED: Readonly<Record<string, (value: string) => unknown>> = {
	'account, number': (number) => ({ account: { number } }),
	'card, number': (number) => ({ a: [{ card: { last4: '4242', number } }] }),
	'bankAccount, routing': (routing) => ({ bankAccount: { routing, holder: 'Ada' } }),
	'routing, no, in a list': (no) => ({ routing: [{ no }] }),
	'a form': (value) => `account[number]=${value}&b=1`,
	'a form with quotes': (value) => `account['number']=${value}`,
	XML: (value) => `<account>\n<number>${value}</number></account>`,
	'JSON in a string': (number) => json({ account: { number } }),
	'JSON that is cut off': (number) => json({ account: { number }, a: 'z' }).slice(0, -4),
};

const unhex = (code: string) => String.fromCodePoint(Math.min(parseInt(code, 16), 0x10ffff));
const ENTITY_SIGNS = new Map(Object.entries(ENTITIES).map(([sign, entity]) => [entity, sign]));

/** Undoes one layer of each way to spell a text; written apart from what it checks. */
const DECODERS: ReadonlyArray<(text: string) => string> = [
	(text) =>
		text
			.replace(/%u([\da-f]{4})/gi, (_, code: string) => unhex(code))
			.replace(/(?:%[\da-f]{2})+/gi, (run) =>
				Buffer.from(run.replaceAll('%', ''), 'hex').toString(),
			),
	(text) =>
		text.replace(
			/\\u\{([\da-f]{1,6})\}|\\u([\da-f]{4})|\\x([\da-f]{2})|\\(["'\\/])/gi,
			(_, a, b, c, d) => (d === undefined ? unhex(String(a ?? b ?? c)) : String(d)),
		),
	(text) =>
		text
			.replace(/&#x([\da-f]{1,6});/gi, (_, code: string) => unhex(code))
			.replace(/&#(\d{1,7});/g, (_, code: string) => unhex(Number(code).toString(16)))
			.replace(/&[a-z]+;/g, (entity) => ENTITY_SIGNS.get(entity) ?? entity),
	(text) => text.replace(/[\w+/-]{16,}=*/g, (code) => Buffer.from(code, 'base64').toString()),
	(text) => text.replace(/(?:[\da-f]{2}){8,}/gi, (code) => Buffer.from(code, 'hex').toString()),
];

/** What a text says, decoded in each order, so many times at most. */
function decodings(text: string, times: number): Set<string> {
	const found = new Set([text]);
	let newest = [text];
	for (let time = 0; time < times; time++) {
		newest = newest
			.flatMap((words) => DECODERS.map((decode) => decode(words)))
			.filter((words) => !found.has(words));
		for (const words of newest) found.add(words);
	}
	return found;
}

/** In one case and width, and without spaces and invisible characters that split a secret. */
const bare = (text: string) =>
	text
		.replace(/[\u00ad\u200b]/g, '')
		.normalize('NFKC')
		.toLowerCase()
		.replace(/[\s-]|%20/g, '');

/** Those of the secrets that a text holds, also after decoding it so many times. */
export function standingIn(left: unknown, secrets: readonly string[], times = 0): string[] {
	const text = typeof left === 'string' ? left : JSON.stringify(left);
	const texts = [...decodings(text, times)].map(bare);
	return secrets.filter((secret) => texts.some((words) => words.includes(bare(secret))));
}

/** As `standingIn`, for what must be masked: the search is counted for docs/reliability.md. */
export function foundIn(left: unknown, secrets: readonly string[], times = 0): string[] {
	const found = standingIn(left, secrets, times);
	tally('secrets', { searches: secrets.length, found: found.length });
	return found;
}
