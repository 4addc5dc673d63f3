import { computeCart } from './cart';
import {
	choicesOf,
	findPaylink,
	knownAddress,
	openingChoice,
	payPaylink,
	readAdjustments,
	type Typed,
} from './checkout';
import { instant } from './clock';
import type { Html } from './html';
import { cents, dollars } from './money';
import { standingOf } from './paylink';
import { notice, overview, paymentForm, receipt, spokenDate } from './paymentView';
import { refundPayment } from './payment';
import { Refusal } from './refusal';
import { contentSecurityPolicy, document } from './shell';
import type { StoredPaylink } from './state';
import { credentials, type World } from './world';

/**
 * Serves the pages that people see in a browser: the payment page of a paylink, its receipt, and an
 * overview of all links.
 */

interface Page {
	status: number;
	headers: Record<string, string>;
	text: string;
}

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

function formPage(
	world: World,
	paylink: StoredPaylink,
	typed: Typed = new Map(),
	problem?: Refusal,
): Page {
	const stored = world.state.cart(paylink.paymentData);
	const choices = choicesOf(world, paylink);
	let cart = computeCart(stored);
	try {
		cart = computeCart(stored, readAdjustments(typed));
	} catch (error) {
		// A mistyped tip or code: the page comes back with the cost without it.
		if (!(error instanceof Refusal)) throw error;
	}
	const content = paymentForm({
		paylink,
		cart,
		lines: stored.lineItems,
		choices,
		chosen: typed.get('method') ?? openingChoice(choices, paylink),
		address: knownAddress(world, paylink),
		typed,
		problem,
	});
	return page(problem?.status ?? 200, `Pay ${dollars(cart.breakdown.total)}`, content);
}

function receiptPage({ state, clock }: World, paylink: StoredPaylink, problem?: Refusal): Page {
	const capture = state.captures.get(paylink.transactionID);
	if (!capture) throw new Refusal(404, `Transaction ${paylink.transactionID} not found`);
	const lines = state.cart(paylink.paymentData).lineItems;
	const standing = standingOf(paylink, { clock });
	const content = receipt({ paylink, standing, capture, lines, problem });
	return page(problem?.status ?? 200, 'Receipt', content);
}

function expiredPage(paylink: StoredPaylink): Page {
	const until = spokenDate(new Date(instant(paylink.form.validUntil ?? '')));
	const text = `It was valid until ${until}. Ask the merchant for a new one.`;
	return page(410, 'Link expired', notice('This link has expired', text, paylink.referenceID));
}

function pay(world: World, paylink: StoredPaylink, typed: Typed): Page {
	const { payLinkID, paymentData, form } = paylink;
	const action = typed.get('action');
	try {
		const { breakdown } = computeCart(world.state.cart(paymentData), readAdjustments(typed));
		if (action === 'update') return formPage(world, paylink, typed);
		// A tip that was not applied changes the total unseen; only what the button said is charged.
		if (Number(typed.get('shown') ?? breakdown.total) !== breakdown.total) {
			throw new Refusal(409, `The total is now ${dollars(breakdown.total)}. Please confirm it.`);
		}
		const { declined } = payPaylink(world, payLinkID, typed, action === 'decline');
		if (declined === '') return redirect(form.onSuccessURL || `/pay/${payLinkID}`);
		if (form.onFailureURL) return redirect(form.onFailureURL);
		throw new Refusal(402, `${declined}. Nothing has been charged; you can try again.`);
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		return formPage(world, paylink, typed, error);
	}
}

/** Without `typed` the page is opened, with it its form is sent. */
function paylinkPage(world: World, paylink: StoredPaylink, typed?: Typed): Page {
	if (paylink.status !== 'open') {
		const again = new Refusal(400, 'This link has been paid already');
		return receiptPage(world, paylink, typed && again);
	}
	if (standingOf(paylink, world) === 'expired') return expiredPage(paylink);
	return typed ? pay(world, paylink, typed) : formPage(world, paylink);
}

function refund(world: World, paylink: StoredPaylink, typed: Typed): Page {
	const text = (typed.get('amount') ?? '').trim();
	const amount = cents(text);
	try {
		if (text !== '' && amount === undefined) {
			throw new Refusal(400, 'The amount must be a number such as 2.50', 'amount');
		}
		refundPayment(world, paylink.transactionID, amount);
		return redirect(`/pay/${paylink.payLinkID}`);
	} catch (error) {
		if (!(error instanceof Refusal) || paylink.status === 'open') throw error;
		return receiptPage(world, paylink, error);
	}
}

function overviewPage(world: World): Page {
	const { state } = world;
	const rows = [...state.paylinks.values()].map((paylink) => ({
		paylink,
		total: computeCart(state.cart(paylink.paymentData)).breakdown.total,
		standing: standingOf(paylink, world),
	}));
	const customers = state.customers.all().length;
	const events = state.log(credentials.groupID).all().length;
	const counts = `${customers} customers, ${events} events, ${state.charges.length} charges`;
	return page(200, 'Payments gateway sandbox', overview(rows, counts));
}

async function route(
	method: string,
	path: string,
	readBody: () => Promise<string>,
	world: World,
): Promise<Page> {
	const isPost = method === 'POST';
	if (path === '/' && !isPost) return overviewPage(world);
	const match = /^\/pay\/([^/]+)(\/refund)?$/.exec(path);
	if (!match) throw new Refusal(404, 'There is no such page');
	const [, payLinkID = '', isRefund] = match;
	const paylink = findPaylink(world, payLinkID);
	if (!isPost) return isRefund ? redirect(`/pay/${payLinkID}`) : paylinkPage(world, paylink);
	const typed = new Map(new URLSearchParams(await readBody()));
	return isRefund ? refund(world, paylink, typed) : paylinkPage(world, paylink, typed);
}

export async function servePage(...request: Parameters<typeof route>): Promise<Page> {
	try {
		return await route(...request);
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		const title = error.status === 404 ? 'Not found' : 'This did not work';
		return page(error.status, title, notice(title, error.message));
	}
}
