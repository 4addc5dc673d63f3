import { timingSafeEqual } from 'node:crypto';
import type { Answer, Endpoint } from '../../nodes/PaymentsGateway/wire';
import { computeCart } from './cart';
import * as form from './form';
import { createPaylink } from './paylink';
import { takePayment } from './payment';
import { achInstrument, cardInstrument, type PayingInstrument } from './paymentMethod';
import { Refusal } from './refusal';
import { isRecord, object, type Rule, string } from './validate';
import { credentials, otherCredentials, type World } from './world';

/**
 * The twelve endpoints: for each its credentials, the rule for its input, and what it does. The
 * service's description (docs/service.md) says what they are modelled on.
 */

interface Caller {
	groupID: string;
}

/** Lists answer JSON bytes that they keep in pieces; everything else answers an object. */
type Result<E extends Endpoint> = Answer<E> | Buffer;

interface Definition<E extends Endpoint = Endpoint> {
	credentials: 'header' | 'body';
	handle(data: unknown, world: World, caller: Caller): Result<E>;
}

const publicKey = (groupID: string): string => `pub_${groupID}`;

function same(a: string, b: string): boolean {
	const [left, right] = [Buffer.from(a), Buffer.from(b)];
	return left.length === right.length && timingSafeEqual(left, right);
}

function define<E extends Endpoint, D>(
	where: Definition['credentials'],
	rule: Rule<D>,
	run: (data: D, world: World, caller: Caller) => Result<E>,
): Definition<E> {
	return {
		credentials: where,
		handle(data, world, caller) {
			if (!rule(data, 'data')) throw new Refusal(400, 'data is not valid');
			return run(data, world, caller);
		},
	};
}

const customerID = string;
const cardID = string;

const definitions: { readonly [E in Endpoint]: Definition<E> } = {
	customers: define(
		'header',
		object({}, { page: form.page }),
		({ page = {} }, { state, settings }) => state.customers.listing.read(page, settings),
	),

	addCustomer: define('header', object({ form: form.newCustomerForm }, {}), (data, { state }) =>
		state.customers.add(data.form, data.form),
	),

	customer: define('header', object({ customerID }, {}), (data, { state }) =>
		state.customers.detail(data.customerID),
	),

	updateCustomer: define(
		'header',
		object({ customerID, form: form.customerForm }, {}),
		(data, { state, settings }) => {
			state.customers.update(data.customerID, data.form, { replaces: settings.updateReplaces });
			return { customerID: data.customerID };
		},
	),

	deleteCustomer: define('header', object({ customerID }, {}), (data, { state }) => {
		state.customers.remove(data.customerID);
		return { customerID: data.customerID };
	}),

	addPaymentMethod: define(
		'header',
		object({ customerID, form: form.paymentMethodForm }, {}),
		(data, { state }) => {
			const { setAsDefault, ...instrument } = data.form;
			const method = state.customers.addMethod(data.customerID, instrument, setAsDefault);
			return { customerID: data.customerID, paymentCardID: method.cardID };
		},
	),

	deletePaymentMethod: define('header', object({ customerID, cardID }, {}), (data, { state }) => {
		state.customers.removeMethod(data.customerID, data.cardID);
		return { customerID: data.customerID };
	}),

	setDefaultPaymentMethod: define(
		'header',
		object({ customerID, cardID }, {}),
		(data, { state }) => {
			state.customers.setDefault(data.customerID, data.cardID);
			return { customerID: data.customerID };
		},
	),

	webhookEvents: define(
		'body',
		object({}, { page: form.page }),
		({ page = {} }, { state, settings }, { groupID }) => {
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
		(data, world, { groupID }) => {
			const { customerInfo: info, dynamicData } = data;
			const { chargeStatus: status, chargeOutcome } = world.settings;
			if (status === 429) throw new Refusal(429, 'Too many requests');
			const isDeclined = /^(declined|failed|refused|rejected|voided)$/i.test(status);
			const cart = world.state.cart(data.paymentData);
			const address = [info.billingAddress, info.billingCity, info.billingState, info.billingZip];
			const outcome = takePayment(world, {
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
				instrument: payingInstrument(info),
				groupID,
				via: 'api',
				outcome: isDeclined ? 'declined' : chargeOutcome,
			});
			if (!outcome.paid && !isDeclined) throw new Refusal(402, outcome.message);
			return { transactionID: outcome.transactionID, status };
		},
	),

	createCheckoutData: define(
		'body',
		object({ form: form.paylinkForm }, {}),
		(data, world, { groupID }) => {
			const { payLinkID, paymentData, url } = createPaylink(world, groupID, data.form);
			const token = publicKey(groupID);
			return {
				data: { payLinkID, paymentData, token, groupID, url },
				token,
				groupID,
				url,
			};
		},
	),
};

function payingInstrument(info: Held<typeof form.customerInfo>): PayingInstrument {
	if (info.ach) return achInstrument(info.ach);
	const details = info.card ?? {};
	return details.accountNumber === undefined ? cardInstrument(details) : achInstrument(details);
}

type Held<R> = R extends Rule<infer T> ? T : never;

function definitionOf(name: string): Definition | undefined {
	return Object.entries(definitions).find(([endpoint]) => endpoint === name)?.[1];
}

function bodyCaller(body: Record<string, unknown>): Caller {
	const { groupID, token } = body;
	if (groupID === undefined) throw new Refusal(401, 'The group ID is missing (body field groupID)');
	if (token === undefined)
		throw new Refusal(401, 'The private token is missing (body field token)');
	const group = [credentials, otherCredentials].find((each) => each.groupID === groupID);
	if (!group) throw new Refusal(401, 'The group ID is unknown (body field groupID)');
	if (typeof token !== 'string' || !same(token, group.privateToken)) {
		throw new Refusal(401, 'The private token is wrong (body field token)');
	}
	return { groupID: group.groupID };
}

function headerCaller(token: string | undefined): Caller {
	if (!token) throw new Refusal(401, 'The header token is missing (header token)');
	if (!same(token, credentials.headerToken)) {
		throw new Refusal(401, 'The header token is wrong (header token)');
	}
	return { groupID: credentials.groupID };
}

export function isEndpoint(name: string): boolean {
	return definitionOf(name) !== undefined;
}

/** Credentials first, then the form, then the work. */
export function callEndpoint(
	name: string,
	body: unknown,
	headerToken: string | undefined,
	world: World,
): unknown {
	const definition = definitionOf(name);
	if (!definition) throw new Refusal(404, `There is no endpoint ${name}`);
	if (!isRecord(body)) throw new Refusal(400, 'The body must be a JSON object');
	const inBody = definition.credentials === 'body';
	const caller = inBody ? bodyCaller(body) : headerCaller(headerToken);
	const known = inBody ? ['groupID', 'token', 'data'] : ['data'];
	const unknown = Object.keys(body).find((field) => !known.includes(field));
	if (unknown !== undefined) throw new Refusal(400, `${unknown} is not a known field`);
	if (body.data === undefined) throw new Refusal(400, 'data is missing');
	return definition.handle(body.data, world, caller);
}
