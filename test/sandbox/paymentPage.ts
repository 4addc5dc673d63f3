import type { IncomingMessage } from 'node:http';
import type { Ach, Card, PrefilledAddress } from '../../nodes/PaymentsGateway/wire';
import { computeCart } from './cart';
import { instant } from './clock';
import {
	adjustments,
	findPaylink,
	knownAddress,
	newMethodsOffered,
	offeredMethods,
	type PageOrder,
	payPaylink,
	preselectedMethod,
	testAccount,
	testCard,
} from './checkout';
import { isWebAddress } from './form';
import type { Html } from './markup';
import { cents, dollars } from './money';
import { isExpired, standingOf } from './paylink';
import { refundPayment } from './payment';
import { DECLINED_CARD_TOKEN } from './paymentMethod';
import { paymentForm } from './paymentView';
import { notice, overview, receipt, spokenDate } from './receiptView';
import { contentSecurityPolicy, document } from './shell';
import { Refusal } from './refusal';
import type { StoredPaylink } from './state';
import { credentials, type World } from './world';

/**
 * Serves the pages that people see in a browser: the payment page of a paylink, its receipt, and an
 * overview of all links. They work without JavaScript.
 */

interface Page {
	status: number;
	headers: Record<string, string>;
	text: string;
}

type Typed = ReadonlyMap<string, string>;

const DECLINED_CARD_NUMBER = '4000000000000002';

function page(status: number, title: string, content: Html): Page {
	return {
		status,
		headers: {
			'Content-Type': 'text/html; charset=utf-8',
			'Content-Security-Policy': contentSecurityPolicy,
			'Cache-Control': 'no-store',
			'Referrer-Policy': 'no-referrer',
		},
		text: document(title, content),
	};
}

function redirect(location: string): Page {
	return { status: 303, headers: { Location: location }, text: '' };
}

function required(typed: Typed, name: string, label: string, given: string): string {
	const value = (typed.get(name) ?? given).trim();
	if (value === '') throw new Refusal(400, `${label} is missing`);
	return value;
}

/** Makes a card token itself: the service's description leaves tokenization out. */
function typedCard(typed: Typed): Card {
	const expiryDate = required(typed, 'expiryDate', 'The expiry date', testCard.expiryDate);
	if (!/^(0[1-9]|1[0-2])\/\d{2}$/.test(expiryDate)) {
		throw new Refusal(400, 'The expiry date must be written MM/YY');
	}
	const written = required(typed, 'cardNumber', 'The card number', '4242 4242 4242 4242');
	const number = written.replace(/[ -]/g, '');
	if (!/^\d{12,19}$/.test(number)) {
		throw new Refusal(400, 'The card number must have 12 to 19 digits');
	}
	const brands: Record<string, string> = { 3: 'amex', 5: 'mastercard', 6: 'discover' };
	const brand = brands[number.charAt(0)] ?? 'visa';
	const cardToken =
		number === DECLINED_CARD_NUMBER ? DECLINED_CARD_TOKEN : `tok_${brand}_${number.slice(-4)}`;
	return { cardToken, expiryDate, cvc: typed.get('cvc') ?? testCard.cvc };
}

function typedAccount(typed: Typed): Ach {
	const { accountNumber, routingNumber } = testAccount;
	const account = required(typed, 'accountNumber', 'The account number', accountNumber);
	const routing = required(typed, 'routingNumber', 'The routing number', routingNumber);
	if (!/^\d{4,17}$/.test(account)) {
		throw new Refusal(400, 'The account number must have 4 to 17 digits');
	}
	if (!/^\d{9}$/.test(routing)) throw new Refusal(400, 'The routing number must have 9 digits');
	return { ...testAccount, accountNumber: account, routingNumber: routing };
}

function typedAdjustments(typed: Typed): Pick<PageOrder, 'tip' | 'discountCode'> {
	const tip = (typed.get('tip') ?? '').trim();
	const discountCode = (typed.get('discountCode') ?? '').trim().toUpperCase();
	const given = discountCode === '' ? {} : { discountCode };
	if (tip === '') return given;
	const amount = cents(tip);
	if (amount === undefined) throw new Refusal(400, 'The tip must be a number such as 2.50');
	const isShare = typed.get('tipType') === 'percentage';
	return { ...given, tip: isShare ? { percentage: amount / 100 } : amount };
}

function typedAddress(typed: Typed): PrefilledAddress {
	const names: Array<keyof PrefilledAddress> = [
		'nameOnCard',
		'email',
		'phone',
		'address',
		'city',
		'state',
		'zip',
		'country',
	];
	const given = names.flatMap((name) => {
		const value = typed.get(name);
		return value === undefined ? [] : [[name, value.trim()]];
	});
	return Object.fromEntries(given);
}

function typedOrder(typed: Typed, preselected: string): PageOrder {
	const order: PageOrder = { ...typedAdjustments(typed), address: typedAddress(typed) };
	const method = typed.get('method') ?? preselected;
	if (method === '') throw new Refusal(400, 'Choose how to pay');
	if (method === 'card') return { ...order, card: typedCard(typed) };
	if (method === 'ach') return { ...order, ach: typedAccount(typed) };
	return { ...order, savedMethodID: method.replace(/^saved:/, '') };
}

/** The payment method that is chosen when the page opens. */
function openingMethod(world: World, paylink: StoredPaylink): string {
	const { disablePreselectCard } = paylink.form;
	const saved = disablePreselectCard ? undefined : preselectedMethod(world, paylink);
	if (saved) return `saved:${saved.method.cardID}`;
	const [first] = newMethodsOffered(paylink);
	return disablePreselectCard && offeredMethods(world, paylink).length > 0 ? '' : (first ?? '');
}

/** An address of the shop, or nothing when it is no place to send a browser to. */
function shopAddress(url: string | undefined): string {
	return url !== undefined && isWebAddress(url) ? url : '';
}

function formPage(
	world: World,
	paylink: StoredPaylink,
	typed: Typed,
	{ status, message }: { status: number; message: string },
): Page {
	const stored = world.state.cart(paylink.paymentData);
	let cart = computeCart(stored);
	let note = message;
	try {
		cart = computeCart(stored, adjustments(typedAdjustments(typed)));
	} catch (error) {
		// A mistyped tip or code: the page comes back with the cost without it.
		if (!(error instanceof Refusal)) throw error;
		note ||= error.message;
	}
	const known = knownAddress(world, paylink);
	const content = paymentForm({
		paylink,
		cart,
		lines: stored.lineItems,
		saved: offeredMethods(world, paylink),
		offered: newMethodsOffered(paylink),
		method: typed.get('method') ?? openingMethod(world, paylink),
		address: paylink.form.disableCustomAddress ? known : { ...known, ...typedAddress(typed) },
		typed,
		message: note,
	});
	const title = `Pay ${dollars(cart.breakdown.total)}`;
	return page(note && status === 200 ? 400 : status, title, content);
}

function receiptPage(world: World, paylink: StoredPaylink, message = ''): Page {
	const capture = world.state.captures.get(paylink.transactionID);
	if (!capture) throw new Refusal(404, `Transaction ${paylink.transactionID} not found`);
	const { occurrence, cart, refunded } = capture;
	const { brand, last4 } = occurrence.instrument;
	const content = receipt({
		paylink,
		standing: standingOf(paylink, world),
		cart,
		lines: world.state.cart(paylink.paymentData).lineItems,
		paidWith: `${brand === 'ACH' ? 'Bank account' : brand} ending in ${last4}`,
		paidAt: occurrence.at,
		refunded,
		message,
		continueTo: shopAddress(paylink.form.onSuccessURL),
	});
	return page(message === '' ? 200 : 400, 'Receipt', content);
}

function openPage(world: World, paylink: StoredPaylink): Page {
	if (paylink.status !== 'open') return receiptPage(world, paylink);
	if (isExpired(paylink, world)) return expiredPage(paylink);
	return formPage(world, paylink, new Map(), { status: 200, message: '' });
}

function expiredPage(paylink: StoredPaylink): Page {
	const until = spokenDate(new Date(instant(paylink.form.validUntil ?? '')));
	const text = `It was valid until ${until}. Ask the merchant for a new one.`;
	return page(410, 'Link expired', notice('This link has expired', text, paylink));
}

function submit(world: World, paylink: StoredPaylink, typed: Typed): Page {
	if (paylink.status !== 'open') {
		return receiptPage(world, paylink, 'This link has been paid already');
	}
	if (isExpired(paylink, world)) return expiredPage(paylink);
	const action = typed.get('action') ?? 'pay';
	if (action === 'update') {
		return formPage(world, paylink, typed, { status: 200, message: '' });
	}
	try {
		const order = typedOrder(typed, openingMethod(world, paylink));
		refuseOtherTotal(world, paylink, order, typed.get('shown'));
		const outcome = payPaylink(world, paylink.payLinkID, {
			...order,
			...(action === 'decline' && { outcome: 'declined' }),
		});
		if (outcome.paid) {
			return redirect(shopAddress(paylink.form.onSuccessURL) || `/pay/${paylink.payLinkID}`);
		}
		const shop = shopAddress(paylink.form.onFailureURL);
		if (shop !== '') return redirect(shop);
		return formPage(world, paylink, typed, {
			status: 402,
			message: `${outcome.message}. Nothing has been charged; you can try again.`,
		});
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		return formPage(world, paylink, typed, { status: error.status, message: error.message });
	}
}

/** Without JavaScript a tip changes the total unseen, but only what the button said is charged. */
function refuseOtherTotal(
	{ state }: World,
	paylink: StoredPaylink,
	order: PageOrder,
	shown: string | undefined,
): void {
	const { breakdown } = computeCart(state.cart(paylink.paymentData), adjustments(order));
	if (shown === undefined || Number(shown) === breakdown.total) return;
	throw new Refusal(409, `The total is now ${dollars(breakdown.total)}. Please confirm it.`);
}

function submitRefund(world: World, paylink: StoredPaylink, typed: Typed): Page {
	const text = (typed.get('amount') ?? '').trim();
	const amount = text === '' ? undefined : cents(text);
	try {
		if (text !== '' && amount === undefined) {
			throw new Refusal(400, 'The amount must be a number such as 2.50');
		}
		refundPayment(world, paylink.transactionID, amount);
		return redirect(`/pay/${paylink.payLinkID}`);
	} catch (error) {
		if (!(error instanceof Refusal) || paylink.status === 'open') throw error;
		return receiptPage(world, paylink, error.message);
	}
}

function overviewPage(world: World): Page {
	const { state } = world;
	const rows = [...state.paylinks.values()].map((paylink) => ({
		paylink,
		total: computeCart(state.cart(paylink.paymentData)).breakdown.total,
		standing: standingOf(paylink, world),
	}));
	const customers = state.customers.details().length;
	const events = state.log(credentials.groupID).all().length;
	const counts = `${customers} customers, ${events} events, ${state.charges.length} charges`;
	return page(200, 'Payments gateway sandbox', overview(rows, counts));
}

async function route(
	request: IncomingMessage,
	path: string,
	readBody: () => Promise<string>,
	world: World,
): Promise<Page> {
	const isPost = request.method === 'POST';
	if (!isPost && request.method !== 'GET' && request.method !== 'HEAD') {
		throw new Refusal(405, 'This page takes GET and POST only', { Allow: 'GET, HEAD, POST' });
	}
	if (path === '/' && !isPost) return overviewPage(world);
	const match = /^\/pay\/([^/]+)(\/refund)?$/.exec(path);
	if (!match) throw new Refusal(404, 'There is no such page');
	const [, payLinkID = '', refund] = match;
	const paylink = findPaylink(world, payLinkID);
	if (!isPost) {
		if (refund) return redirect(`/pay/${payLinkID}`);
		return openPage(world, paylink);
	}
	const typed = new Map(new URLSearchParams(await readBody()));
	return refund ? submitRefund(world, paylink, typed) : submit(world, paylink, typed);
}

export async function servePage(
	request: IncomingMessage,
	path: string,
	readBody: () => Promise<string>,
	world: World,
): Promise<Page> {
	try {
		return await route(request, path, readBody, world);
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		const { status, message, headers } = error;
		const title = status === 404 ? 'Not found' : 'This did not work';
		const shown = page(status, title, notice(title, message));
		return { ...shown, headers: { ...shown.headers, ...headers } };
	}
}
