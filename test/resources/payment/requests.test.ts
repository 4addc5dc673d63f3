import { engine, output } from '../../engine';
import { useNode } from '../../useNode';

/** How many requests charges and look-ups take of a merchant with 5,000 events in a month. */

const { sandbox, run } = useNode({ resource: 'payment' });

beforeEach(() => {
	engine.restart();
	const now = sandbox.clock.now().getTime();
	sandbox.addEvents(5_000, (index) => ({
		type: 'payment_success',
		referenceID: `SALE-${index}`,
		date: new Date(now - (index + 1) * 500_000).toISOString(),
	}));
});

const requests = () => sandbox.requests.length;

test.each(['finds everything', 'finds nothing'])(
	'100 charges take at most 360, where the search %s',
	async (how) => {
		sandbox.settings.ignoreSearch = how === 'finds everything';
		const items = Array.from({ length: 100 }, (_, index) => ({
			cart: sandbox.addCart({ referenceID: `CART-${index}` }),
		}));
		const card = { details: { cardToken: 'tok_visa_4242', cvc: '987', expiryDate: '08/29' } };
		const parameters = { operation: 'charge', customerConsent: true, card };
		const rows = output(await run({ ...parameters, paymentData: '={{ $json.cart }}' }, { items }));
		expect(rows.filter(({ charged }) => charged === true)).toHaveLength(100);
		expect(requests()).toBeLessThanOrEqual(360);
	},
	120_000,
);

test('Get Status of 20 references takes at most three each, and 1.1 in a later run', async () => {
	const items = Array.from({ length: 20 }, (_, index) => ({ reference: `SALE-${index * 250}` }));
	const parameters = { operation: 'getStatus', referenceId: '={{ $json.reference }}' };
	const ask = async () => {
		const before = requests();
		const rows = output(await run(parameters, { items }));
		expect(rows.filter(({ outcome }) => outcome === 'succeeded')).toHaveLength(20);
		return (requests() - before) / items.length;
	};
	expect(await ask()).toBeLessThanOrEqual(3);
	expect(await ask()).toBeLessThanOrEqual(1.1);
}, 120_000);
