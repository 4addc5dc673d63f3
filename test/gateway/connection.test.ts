import { createHash } from 'node:crypto';

import { connectionOf, scopeOf } from '../../nodes/PaymentsGateway/gateway/connection';
import { engine } from '../engine';

const base = 'https://gateway.example.com';
const of = (baseUrl: unknown, groupId: unknown = 'grp-1', environment: unknown = 'sandbox') =>
	connectionOf({ baseUrl, groupId, environment } as Parameters<typeof connectionOf>[0]);

describe('the scope', () => {
	const asBefore = (baseUrl: string, groupId: string) =>
		createHash('sha256')
			.update(JSON.stringify([baseUrl, groupId]))
			.digest('hex')
			.slice(0, 16);

	test.each([
		[base, 'grp-1'],
		['http://127.0.0.1:8080', 'grp-1'],
		[`${base}:8443/eu/v1`, 'GRP 1'],
		[base, ''],
	])('of %s and %j is what version 0.1.0 stored', (baseUrl, groupId) => {
		expect(of(baseUrl, groupId).scope).toBe(asBefore(baseUrl, groupId));
		expect(of(`${baseUrl}//`, groupId).scope).toBe(asBefore(baseUrl, groupId));
	});

	test.each([
		[base, `${base}/`],
		[base, ` ${base}// \n`],
		[base, 'HTTPS://Gateway.EXAMPLE.com'],
		[base, `${base}:443`],
		[base, 'https://gateway.example.com.'],
		['http://localhost', 'http://LOCALHOST:80/'],
		['http://127.0.0.1:8080', 'http://127.1:8080'],
		['https://xn--bcher-kva.example', 'https://bücher.example'],
		['https://xn--bcher-kva.example', 'https://BÜCHER.example'],
		[`${base}/a%2Fb`, `${base}/a%2fb/`],
		[`${base}/eu`, `${base}/%65u`],
		[`${base}/eu`, `${base}/us/../eu`],
		[`${base}/%C3%A9`, `${base}/é`],
	])('is the same for %s and %j', (one, other) => {
		expect(of(other).scope).toBe(of(one).scope);
	});

	test.each([
		[['grp-1'], [' grp-1\t']],
		[['42'], [42]],
	])('is the same for the groups %j and %j', ([one], [other]) => {
		expect(of(base, other).scope).toBe(of(base, one).scope);
	});

	test.each([
		[base, 'http://gateway.example.com'],
		[base, `${base}:8443`],
		[base, `${base}/eu`],
		[`${base}/eu`, `${base}/EU`],
		[`${base}/a/b`, `${base}/a%2Fb`],
	])('is another for %s and %s', (one, other) => {
		expect(of(other).scope).not.toBe(of(one).scope);
	});

	test('is another for each group, whatever its case', () => {
		const scopes = ['grp-1', 'GRP-1', 'grp-2', ''].map((groupId) => of(base, groupId).scope);
		expect(new Set(scopes).size).toBe(4);
	});

	test('stays the same when it was worked out thousands of times', () => {
		const typed = 'https://bücher.example';
		const { scope } = of('https://xn--bcher-kva.example');
		for (let times = 0; times < 20_000; times++) scopeOf('https://bucher.example', 'grp-1');
		for (let times = 0; times < 100; times++) expect(of(typed).scope).toBe(scope);
	});

	test('goes by the header token where no group says whose customers are meant', () => {
		const byToken = (headerToken: string, groupId: string) =>
			connectionOf({ baseUrl: base, groupId, environment: 'sandbox', headerToken });
		expect(byToken('one', '').scope).not.toBe(byToken('two', '').scope);
		expect(byToken('one', 'grp-1').scope).toBe(byToken('two', 'grp-1').scope);
		// Customers are the token's, whatever the group says.
		expect(byToken('one', 'grp-1').customers).toBe(byToken('one', 'grp-2').customers);
		expect(byToken('one', 'grp-1').customers).not.toBe(byToken('two', 'grp-1').customers);
		expect(JSON.stringify(byToken('one', '').scope)).not.toContain('one');
	});

	test('is that of the address to which requests go', () => {
		for (const typed of ['HTTPS://Gateway.example.com:443/', 'https://bücher.example/a%2fb/']) {
			const { baseUrl, scope } = of(typed);
			expect(scopeOf(baseUrl, 'grp-1')).toBe(scope);
		}
	});
});

test.each([
	'HTTPS://Gateway.EXAMPLE.com:443//',
	' https://bücher.example ',
	`${base}/a%2fb/é`,
	`${base}/us/../eu/`,
	'http://127.1:8080',
	'https://gateway.example.com.',
])('the credential signs what goes to %j', async (typed) => {
	const credentials = { baseUrl: typed, environment: 'sandbox', headerToken: 'the-token' };
	const url = `${of(typed).baseUrl}/api/gateway/customers`;
	const signed = await engine.authenticate(credentials, { method: 'POST', url, body: {} });
	expect(signed).toMatchObject({ url, headers: { token: 'the-token' } });
});

test.each([
	['sandbox', 'sandbox'],
	['production', 'production'],
	['Sandbox', 'production'],
	[' sandbox', 'production'],
	['', 'production'],
	[undefined, 'production'],
	[null, 'production'],
	[true, 'production'],
])('an environment of %j counts as %s', (given, environment) => {
	// An argument left undefined would be the default.
	const connection = connectionOf({ baseUrl: base, groupId: '', environment: given } as Parameters<
		typeof connectionOf
	>[0]);
	expect(connection.environment).toBe(environment);
});
