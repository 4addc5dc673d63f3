import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import type { Client } from '../gateway/client';
import { createClient } from '../gateway/merchants';
import { fieldErrorOf } from '../form/fieldError';
import { located } from '../form/field';
import type { Located } from '../form/field';
import { paymentMethodsOf } from '../gateway/paymentMethods';
import { customerDetail } from '../operation/customerOf';
import type { CustomerDetail, PaymentMethod } from '../wire';
import { isObject, textOf } from '../wire/json';
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
function chosenCustomer(context: ILoadOptionsFunctions): Located {
	const valueOf = (path: string): unknown => {
		try {
			return context.getCurrentNodeParameter(path);
		} catch {
			return undefined;
		}
	};
	// n8n writes "&" before a field that stands beside the picker.
	const locator = valueOf('&customerId') ?? valueOf('customerId') ?? valueOf('customer.customerId');
	if (!isObject(locator)) return { by: 'id', value: textOf(locator) };
	return located(locator.mode, textOf(locator.value));
}

async function customerOf(context: ILoadOptionsFunctions, client: Client): Promise<CustomerDetail> {
	const fieldError = fieldErrorOf(context, 0);
	const chosen = chosenCustomer(context);
	if (chosen.value === '' || chosen.value.startsWith('=')) {
		throw fieldError(
			'Choose the customer first, or switch to By ID',
			'The list shows the payment methods of the chosen customer. With a customer by expression, give the payment method by ID.',
		);
	}
	return await customerDetail({ client, fieldError }, chosen);
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
