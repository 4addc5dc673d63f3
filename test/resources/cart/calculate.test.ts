import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';

/** The gateway computes the total of a cart, with the changes from the form. */

const {
	sandbox,
	run: calculate,
	sent: sentTo,
} = useNode({ resource: 'cart', operation: 'calculate' }, { credentials: { headerToken: '' } });

const mug = { sku: 'MUG', name: 'Mug', description: 'Blue', price: 1000 };

const cart = () =>
	sandbox.addCart({
		referenceID: 'ORDER-1',
		lineItems: [{ product: mug, amount: 2 }],
		surcharge: { card: 40, ach: 15 },
	});
const sent = () => sentTo('computeTokenizedCheckout').map(({ dynamicData }) => dynamicData);

test('returns the cart as the gateway gives it, its total in front, and charges nothing', async () => {
	const [item] = output(await calculate({ paymentData: cart() }));
	expect(item).toEqual({
		total: 20.4,
		totalFormatted: '$20.40',
		breakdown: { subtotal: 2000, discount: 0, tax: 0, shipping: 0, fees: 40, tip: 0, total: 2040 },
		lineItems: [{ product: mug, amount: 2, total: 2000 }],
		discountBreakdown: [],
		allowEdit: true,
		allowExtraDiscount: true,
		allowTip: true,
		referenceID: 'ORDER-1',
		onSuccessUrl: '',
		onFailureUrl: '',
	});
	expect(Object.keys(item ?? {}).slice(0, 2)).toEqual(['total', 'totalFormatted']);
	expect(sent()).toEqual([{ paymentType: 'card' }]);
	expect(sandbox.charges).toEqual([]);
});

const quantity = (id: string, quantity: string | number) => ({
	quantityAmounts: { items: [{ id, quantity }] },
});

test.each<[INodeParameters, object, number]>([
	[{ discountCodes: 'SAVE10, FIVER' }, { discountCodes: ['SAVE10', 'FIVER'] }, 1340],
	[{ tip: '$2.50' }, { tip: { amount: 250, type: 'fixed' } }, 2290],
	[{ tip: '12.5%' }, { tip: { amount: 12.5, type: 'percentage' } }, 2290],
	[{ tip: 0 }, { tip: { amount: 0, type: 'fixed' } }, 2040],
	[quantity('MUG', 5), { quantityAmounts: [{ id: 'MUG', quantity: 5 }] }, 5040],
	[{ discountCodes: ' , ', quantityAmounts: {}, tip: '' }, {}, 2040],
])(
	'%j is sent as %j, with the payment type that Charge sends',
	async (dynamicData, wire, total) => {
		// A bank account costs 25 cents less than a card here.
		for (const [paymentType, cost] of [['card', total] as const, ['ach', total - 25] as const]) {
			const [item] = output(await calculate({ paymentData: cart(), paymentType, dynamicData }));
			expect(sent().at(-1)).toEqual({ ...wire, paymentType });
			expect(item).toMatchObject({ total: cost / 100, breakdown: { total: cost } });
		}
	},
);
