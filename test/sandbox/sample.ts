import type { CustomerForm } from '../../nodes/PaymentsGateway/wire';
import { computeCart, StoredCart } from './cart';
import type { EventInput } from './event';
import { identifier } from './identifier';
import { createMethod, TEST_CARD } from './paymentMethod';
import { isOutcomeType, transactionPayer, payloadOf } from './transaction';

/** Customers and events for tests that do not care what is in them. */

export function sampleCustomer(number: number): Required<CustomerForm> {
	return {
		nameOnCard: `Sample Customer ${number}`,
		email: `customer${number}@example.com`,
		phone: '+1 555 0100',
		billingAddress: `${number} Main Street`,
		billingCity: 'Springfield',
		billingState: 'IL',
		billingZip: '62701',
		billingCountry: 'US',
	};
}

export function samplePayload(
	number: number,
	type: string,
	given: EventInput & { groupID: string; date: string },
): object {
	const { transactionID = identifier('txn'), amount = 2500, referenceID = '', groupID } = given;
	if (!isOutcomeType(type)) return { id: transactionID, referenceID };
	const payer = { ...sampleCustomer(number), email: `sample${number}@example.com` };
	const outcome = {
		transactionID,
		amount,
		referenceID,
		groupID,
		parentTransactionID: type === 'payment_refund' ? identifier('txn') : null,
		payer: transactionPayer(`cus_sample_${number}`, payer),
		method: createMethod({ card: TEST_CARD }),
		cart: computeCart({ ...new StoredCart(), amount }),
		createdBy: 'sandbox',
		at: given.date,
	};
	return payloadOf(type, outcome);
}
