import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Client } from '../gateway/client';
import { createClient } from '../gateway/merchants';
import { customerByEmail } from '../gateway/customers';
import { paymentMethodsOf } from '../gateway/paymentMethods';
import type { CustomerDetail, PaymentMethod } from '../wire';
import { textOf } from '../wire/json';
import { brandAndLast4 } from './brandAndLast4';

/**
 * The picker behind every Payment Method field. It lists the payment methods of the customer who is
 * chosen in the same form, so that one has to be chosen first.
 */

function methodLabel(method: PaymentMethod): string {
	const name = brandAndLast4(method) || method.type || method.cardID;
	const expires = method.expires ? ` · expires ${method.expires}` : '';
	return `${name}${expires}${method.isDefault ? ' · default' : ''}`;
}

/** The Customer field of the same form: in the picker's own collection, or at the form's top. */
function chosenCustomer(context: ILoadOptionsFunctions): { mode: string; value: string } {
	const valueOf = (path: string): unknown => {
		try {
			return context.getCurrentNodeParameter(path);
		} catch {
			return undefined;
		}
	};
	const locator = valueOf('&customerId') ?? valueOf('customerId') ?? valueOf('customer.customerId');
	if (typeof locator === 'string') return { mode: 'id', value: locator };
	if (typeof locator !== 'object' || locator === null) return { mode: 'id', value: '' };
	const mode: unknown = Reflect.get(locator, 'mode');
	const value: unknown = Reflect.get(locator, 'value');
	return { mode: String(mode), value: textOf(value) };
}

async function customerOf(context: ILoadOptionsFunctions, client: Client): Promise<CustomerDetail> {
	const { mode, value } = chosenCustomer(context);
	if (value === '' || value.startsWith('=')) {
		throw new NodeOperationError(
			context.getNode(),
			'Choose the customer first, or switch to By ID',
			{
				description:
					'The list shows the payment methods of the chosen customer. With a customer by expression, give the payment method by ID.',
			},
		);
	}
	if (mode !== 'email') return await client.call('customer', { customerID: value });
	return await customerByEmail(
		client,
		value,
		(words, description) => new NodeOperationError(context.getNode(), words, { description }),
	);
}

export async function searchPaymentMethods(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const client = await createClient(this);
	const methods = paymentMethodsOf(client, await customerOf(this, client));
	const wanted = filter?.trim().toLowerCase() ?? '';
	return {
		results: methods
			.map((method) => ({ name: client.mask.text(methodLabel(method)), value: method.cardID }))
			.filter(({ name }) => name.toLowerCase().includes(wanted)),
	};
}
