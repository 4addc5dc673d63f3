import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Client } from '../gateway/client';
import { createClient } from '../gateway/merchants';
import { customerByEmail } from '../gateway/customers';
import type { PaymentMethod } from '../wire';
import { methodLabel } from './methodLabel';

function label(method: PaymentMethod): string {
	const name = methodLabel(method) || method.type || method.cardID;
	const expires = method.expires ? ` · expires ${method.expires}` : '';
	return `${name}${expires}${method.isDefault ? ' · default' : ''}`;
}

/** The customer that the form names, beside the picker: in a collection or at its top. */
function chosen(context: ILoadOptionsFunctions): { mode: string; value: string } {
	const beside = (path: string): unknown => {
		try {
			return context.getCurrentNodeParameter(path);
		} catch {
			return undefined;
		}
	};
	const locator = beside('&customerId') ?? beside('customerId') ?? beside('customer.customerId');
	if (typeof locator === 'string') return { mode: 'id', value: locator };
	if (typeof locator !== 'object' || locator === null) return { mode: 'id', value: '' };
	const mode: unknown = Reflect.get(locator, 'mode');
	const value: unknown = Reflect.get(locator, 'value');
	return { mode: String(mode), value: typeof value === 'string' ? value.trim() : '' };
}

async function customerIdOf(context: ILoadOptionsFunctions, client: Client): Promise<string> {
	const { mode, value } = chosen(context);
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
	if (mode !== 'email') return value;
	const found = await customerByEmail(client, value);
	if ('id' in found) return found.id;
	throw new NodeOperationError(context.getNode(), found.problem, { description: found.advice });
}

/** The picker of payment methods: those of the customer that is chosen beside it. */
export async function searchPaymentMethods(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const client = await createClient(this);
	const customer = await client.call('customer', { customerID: await customerIdOf(this, client) });
	const methods = Array.isArray(customer.paymentCards) ? customer.paymentCards : [];
	const wanted = filter?.trim().toLowerCase() ?? '';
	return {
		results: methods
			.map((method) => ({ name: client.mask.text(label(method)), value: method.cardID }))
			.filter(({ name }) => name.toLowerCase().includes(wanted)),
	};
}
