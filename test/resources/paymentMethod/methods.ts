import type { Sandbox } from '../../sandbox';

/** A customer with so many cards, the first of which is the default. */
export function customerWith(sandbox: Sandbox, cards: number) {
	const { id } = sandbox.addCustomer({ email: 'ada@example.com' });
	const methods = Array.from({ length: cards }, (_, index) =>
		sandbox.addPaymentMethod(id, { card: { cardToken: `tok_visa_${1000 + index}` } }),
	);
	return { id, methods };
}

export function methodsOf(sandbox: Sandbox, id: string) {
	return sandbox.customers.find((each) => each.id === id)?.paymentCards;
}
