import type { Answer, Data, Endpoint } from '../../nodes/PaymentsGateway/wire';
import { computeCart } from './cart';
import { isRecord } from './check';
import { checkData, isAccount } from './schema';
import { createPaylink } from './paylink';
import { takePayment } from './payment';
import { createMethod } from './paymentMethod';
import { Refusal } from './refusal';
import { transactionPayer } from './transaction';
import { credentials, otherCredentials, type World } from './world';

/**
 * The twelve endpoints: who may call them, and what each does with input that fits its schema in
 * `schema.ts`. docs/service.md says what they are modelled on.
 */

/** These take `groupID` and `token` in the body; the others take the `token` header. */
const bodyCredentialEndpoints: readonly string[] = [
	'webhookEvents',
	'computeTokenizedCheckout',
	'createTokenizedManualEntry',
	'createCheckoutData',
];

type Handler<E extends Endpoint> = (data: Data<E>, world: World, groupID: string) => Answer<E>;

const handlers: { readonly [E in Endpoint]: Handler<E> } = {
	customers: ({ page }, { state, settings }) => state.customers.listing.read(page, settings),
	addCustomer: ({ form }, { state }) => state.customers.add(form),
	customer: ({ customerID }, { state }) => state.customers.detail(customerID),
	updateCustomer: ({ customerID, form }, { state, settings }) =>
		state.customers.update(customerID, form, { replaces: settings.updateReplaces }),
	deleteCustomer: ({ customerID }, { state }) => state.customers.remove(customerID),
	addPaymentMethod({ customerID, form }, { state }) {
		const { cardID } = state.customers.addMethod(customerID, form, form.setAsDefault);
		return { customerID, paymentCardID: cardID };
	},
	deletePaymentMethod: ({ customerID, cardID }, { state }) =>
		state.customers.removeMethod(customerID, cardID),
	setDefaultPaymentMethod: ({ customerID, cardID }, { state }) =>
		state.customers.setDefault(customerID, cardID),
	webhookEvents({ page }, { state, settings, clock }, groupID) {
		const log = state.eventLog(groupID);
		log.release(settings.eventLag, clock.now());
		return log.listing.read(page, settings);
	},
	computeTokenizedCheckout: ({ paymentData, dynamicData }, { state }) =>
		computeCart(state.cart(paymentData), dynamicData),
	createTokenizedManualEntry({ paymentData, customerInfo: info, dynamicData }, world, groupID) {
		const cart = world.state.cart(paymentData);
		const { card, ach, paymentType } = info;
		const { transactionID, declineMessage, isPending } = takePayment(world, {
			cart,
			// The surcharge depends on the payment type; `dynamicData` may override it.
			dynamicData: { paymentType, ...dynamicData },
			payer: transactionPayer(cart.customerID, info),
			// Bank details may come under `card`.
			method: createMethod(card && !isAccount(card) ? { card } : { ach: card ?? ach ?? {} }),
			groupID,
			via: 'api',
		});
		if (declineMessage !== '') throw new Refusal(402, declineMessage);
		return { transactionID, status: isPending ? 'PENDING' : world.settings.chargeStatus };
	},
	createCheckoutData({ form }, world, groupID) {
		const { payLinkID, paymentData, url } = createPaylink(world, groupID, form);
		// Repeated beside `data`: the package must ignore fields there that it does not know.
		const repeated = { token: `pub_${groupID}`, groupID, url };
		return { data: { payLinkID, paymentData, ...repeated }, ...repeated };
	},
};

export function isEndpoint(name: string): name is Endpoint {
	return Object.hasOwn(handlers, name);
}

/** The group that the body's credentials belong to. */
function groupOf({ groupID, token }: Record<string, unknown>): string {
	const group = [credentials, otherCredentials].find(
		(each) => each.groupID === groupID && each.privateToken === token,
	);
	if (group) return group.groupID;
	throw new Refusal(401, 'The body fields groupID and token are not those of a merchant');
}

/** Checks the credentials, then the form, and runs the handler. */
export function callEndpoint<E extends Endpoint>(
	endpoint: E,
	body: unknown,
	headerToken: unknown,
	world: World,
): Answer<E> {
	if (!isRecord(body)) throw new Refusal(400, 'The body must be a JSON object');
	const hasBodyCredentials = bodyCredentialEndpoints.includes(endpoint);
	if (!hasBodyCredentials && headerToken !== credentials.headerToken) {
		throw new Refusal(401, 'The header token is missing or wrong');
	}
	const groupID = hasBodyCredentials ? groupOf(body) : credentials.groupID;
	const known = hasBodyCredentials ? ['data', 'groupID', 'token'] : ['data'];
	const unknown = Object.keys(body).find((field) => !known.includes(field));
	if (unknown !== undefined) throw new Refusal(400, `${unknown} is not a known field`);
	const { data } = body;
	if (data === undefined) throw new Refusal(400, 'data is missing');
	checkData(endpoint, data);
	return handlers[endpoint](data, world, groupID);
}
