import { merchantOf } from '../../nodes/PaymentsGateway/gateway/merchant';

const base = 'https://gateway.example.com';
const of = (baseUrl: string, groupId = 'grp-1', more = {}) =>
	merchantOf({ baseUrl, groupId, environment: 'sandbox', headerToken: 'one', ...more });

describe('the scope', () => {
	test.each([
		[base, ` ${base}// \n`],
		[base, 'HTTPS://Gateway.EXAMPLE.com:443'],
		['https://xn--bcher-kva.example', 'https://BÜCHER.example'],
		[`${base}/eu`, `${base}/us/../eu/`],
	])('is the same for %s and %j, with blanks around the group', (one, other) => {
		expect(of(other, ' grp-1\t').scope).toBe(of(one).scope);
	});

	test('differs for each address and group', () => {
		const addresses = [base, `${base}:8443`, `${base}/eu`, `${base}/EU`, base.replace('s:', ':')];
		const groups = ['grp-1', 'GRP-1', 'grp-2', ''];
		const scopes = addresses.flatMap((each) => groups.map((group) => of(each, group).scope));
		expect(new Set(scopes).size).toBe(20);
	});

	test('is stored, so it must stay the same, even if the private token changes', () => {
		expect(of(base).scope).toBe('8023aabefacbf37f');
		expect(of(base, 'grp-1', { privateToken: 'rotated' }).scope).toBe(of(base).scope);
	});

	test('depends on the header token if there is no group', () => {
		const other = { headerToken: 'two' };
		expect(of(base, '', other).scope).not.toBe(of(base, '').scope);
		expect(of(base, 'grp-1', other).scope).toBe(of(base).scope);
	});

	test('of customers depends on the address and the token, not on the group', () => {
		const { customerScope } = of(base);
		expect(of(base, 'grp-2').customerScope).toBe(customerScope);
		expect(of(base, 'grp-1', { headerToken: 'two' }).customerScope).not.toBe(customerScope);
		expect(of(`${base}/eu`).customerScope).not.toBe(customerScope);
	});
});

test('an environment that is not plainly the sandbox counts as production', () => {
	expect(of(base).environment).toBe('sandbox');
	for (const environment of ['production', 'Sandbox', undefined, true]) {
		expect(of(base, '', { environment }).environment).toBe('production');
	}
});
