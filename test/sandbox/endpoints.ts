import { timingSafeEqual } from 'node:crypto';
import type { Answer, Endpoint } from '../../nodes/PaymentsGateway/wire';
import { computeCart } from './cart';
import * as form from './form';
import { createPaylink } from './paylink';
import { takePayment } from './payment';
import { methodOf } from './paymentMethod';
import { Refusal } from './refusal';
import { isRecord, object, type Rule, string } from './validate';
import { credentials, otherCredentials, type World } from './world';

/**
 * The twelve endpoints: for each its credentials, the rule for its input, and what it does. The
 * service's description (docs/service.md) says what they are modelled on.
 */

interface Definition<E extends Endpoint = Endpoint> {
	credentials: 'header' | 'body';
	/** Lists answer the JSON that they keep in pieces; everything else answers an object. */
	handle(data: unknown, world: World, groupID: string): Answer<E> | string;
}

function define<E extends Endpoint, D>(
	where: Definition['credentials'],
	rule: Rule<D>,
	run: (data: D, world: World, groupID: string) => Answer<E> | string,
): Definition<E> {
	return {
		credentials: where,
		handle(data, world, groupID) {
			if (!rule(data, 'data')) throw new Refusal(400, 'data is not valid');
			return run(data, world, groupID);
		},
	};
}

const ofCustomer = object({ customerID: string }, {});
const ofMethod = object({ customerID: string, cardID: string }, {});

const definitions: { readonly [E in Endpoint]: Definition<E> } = {
	customers: define(
		'header',
		object({}, { page: form.page }),
		({ page = {} }, { state, settings }) => state.customers.listing.read(page, settings),
	),

	addCustomer: define('header', object({ form: form.newCustomerForm }, {}), (data, { state }) =>
		state.customers.add(data.form),
	),

	customer: define('header', ofCustomer, ({ customerID }, { state }) =>
		state.customers.detail(customerID),
	),

	updateCustomer: define(
		'header',
		object({ customerID: string, form: form.customerForm }, {}),
		({ customerID, form: given }, { state, settings }) => {
			state.customers.update(customerID, given, { replaces: settings.updateReplaces });
			return { customerID };
		},
	),

	deleteCustomer: define('header', ofCustomer, ({ customerID }, { state }) => {
		state.customers.remove(customerID);
		return { customerID };
	}),

	addPaymentMethod: define(
		'header',
		object({ customerID: string, form: form.paymentMethodForm }, {}),
		({ customerID, form: given }, { state }) => {
			const { cardID } = state.customers.addMethod(customerID, given, given.setAsDefault);
			return { customerID, paymentCardID: cardID };
		},
	),

	deletePaymentMethod: define('header', ofMethod, ({ customerID, cardID }, { state }) => {
		state.customers.removeMethod(customerID, cardID);
		return { customerID };
	}),

	setDefaultPaymentMethod: define('header', ofMethod, ({ customerID, cardID }, { state }) => {
		state.customers.setDefault(customerID, cardID);
		return { customerID };
	}),

	webhookEvents: define(
		'body',
		object({}, { page: form.page }),
		({ page = {} }, { state, settings }, groupID) => {
			const log = state.log(groupID);
			log.release(settings.eventLag);
			return log.listing.read(page, settings);
		},
	),

	computeTokenizedCheckout: define(
		'body',
		object({ paymentData: string }, { dynamicData: form.dynamicData }),
		(data, { state }) => computeCart(state.cart(data.paymentData), data.dynamicData),
	),

	createTokenizedManualEntry: define(
		'body',
		object(
			{ paymentData: string, customerInfo: form.customerInfo },
			{ dynamicData: form.dynamicData },
		),
		({ paymentData, customerInfo: info, dynamicData }, world, groupID) => {
			const { chargeStatus: status } = world.settings;
			if (status === 429) throw new Refusal(429, 'Too many requests');
			const cart = world.state.cart(paymentData);
			const { card, ach = {} } = info;
			const byCard = card && ('cardToken' in card ? { card } : { ach: card });
			const method = methodOf(byCard ?? { ach });
			if (!method) throw new Refusal(400, 'data.customerInfo holds no payment method');
			const address = [info.billingAddress, info.billingCity, info.billingState, info.billingZip];
			const declines = /^(declined|failed|refused|rejected|voided)$/i.test(status);
			const { transactionID, declined } = takePayment(world, {
				cart,
				// What the cart costs depends on it, so a commit that does not say takes its own.
				dynamicData: { paymentType: info.paymentType, ...dynamicData },
				payer: {
					customerID: cart.customerID,
					name: info.nameOnCard ?? '',
					email: info.email ?? '',
					phone: '',
					country: info.billingCountry ?? '',
					address: address.filter(Boolean).join(', '),
				},
				method,
				groupID,
				via: 'api',
				declines,
			});
			if (declined !== '' && !declines) throw new Refusal(402, declined);
			return { transactionID, status };
		},
	),

	createCheckoutData: define(
		'body',
		object({ form: form.paylinkForm }, {}),
		(data, world, groupID) => {
			const { payLinkID, paymentData, url } = createPaylink(world, groupID, data.form);
			const repeated = { token: `pub_${groupID}`, groupID, url };
			return { data: { payLinkID, paymentData, ...repeated }, ...repeated };
		},
	),
};

function definitionOf(name: string): Definition | undefined {
	return Object.entries(definitions).find(([endpoint]) => endpoint === name)?.[1];
}

export function isEndpoint(name: string): boolean {
	return definitionOf(name) !== undefined;
}

function same(a: string, b: string): boolean {
	const [left, right] = [Buffer.from(a), Buffer.from(b)];
	return left.length === right.length && timingSafeEqual(left, right);
}

/** The group that the body's credentials belong to. */
function groupOf({ groupID, token }: Record<string, unknown>): string {
	if (groupID === undefined) throw new Refusal(401, 'The group ID is missing (body field groupID)');
	if (token === undefined) {
		throw new Refusal(401, 'The private token is missing (body field token)');
	}
	const group = [credentials, otherCredentials].find((each) => each.groupID === groupID);
	if (!group) throw new Refusal(401, 'The group ID is unknown (body field groupID)');
	if (typeof token !== 'string' || !same(token, group.privateToken)) {
		throw new Refusal(401, 'The private token is wrong (body field token)');
	}
	return group.groupID;
}

function checkHeaderToken(token: string): void {
	if (token === '') throw new Refusal(401, 'The header token is missing (header token)');
	if (!same(token, credentials.headerToken)) {
		throw new Refusal(401, 'The header token is wrong (header token)');
	}
}

/** Credentials first, then the form, then the work. */
export function callEndpoint(
	name: string,
	body: unknown,
	headerToken: string,
	world: World,
): unknown {
	const definition = definitionOf(name);
	if (!definition) throw new Refusal(404, `There is no endpoint ${name}`);
	if (!isRecord(body)) throw new Refusal(400, 'The body must be a JSON object');
	let { groupID } = credentials;
	const known = ['data'];
	if (definition.credentials === 'body') {
		groupID = groupOf(body);
		known.push('groupID', 'token');
	} else {
		checkHeaderToken(headerToken);
	}
	const unknown = Object.keys(body).find((field) => !known.includes(field));
	if (unknown !== undefined) throw new Refusal(400, `${unknown} is not a known field`);
	if (body.data === undefined) throw new Refusal(400, 'data is missing');
	return definition.handle(body.data, world, groupID);
}
