import { computeCart } from './cart';
import {
	choicesOf,
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
import { captureOf, refundPayment } from './payment';
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

function formPage(world: World, paylink: StoredPaylink, typed: Typed, problem?: Refusal): Page {
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

function receiptPage(world: World, paylink: StoredPaylink, problem?: Refusal): Page {
	const content = receipt({
		paylink,
		capture: captureOf(world, paylink.transactionID),
		lines: world.state.cart(paylink.paymentData).lineItems,
		problem,
	});
	return page(problem?.status ?? 200, 'Receipt', content);
}

function expiredPage({ form, referenceID }: StoredPaylink): Page {
	const until = spokenDate(new Date(instant(form.validUntil ?? '')));
	const text = `It was valid until ${until}. Ask the merchant for a new one.`;
	return page(410, 'Link expired', notice('This link has expired', text, referenceID));
}

/** A link as it stands, with what was typed before and what was wrong with it. */
function linkPage(
	world: World,
	paylink: StoredPaylink,
	typed: Typed = new Map(),
	problem?: Refusal,
): Page {
	const standing = standingOf(paylink, world);
	if (standing === 'expired') return expiredPage(paylink);
	if (standing === 'open') return formPage(world, paylink, typed, problem);
	return receiptPage(world, paylink, problem);
}

function pay(world: World, paylink: StoredPaylink, typed: Typed): Page {
	const { payLinkID, paymentData, form } = paylink;
	const action = typed.get('action');
	const { total } = computeCart(world.state.cart(paymentData), readAdjustments(typed)).breakdown;
	if (action === 'update') return linkPage(world, paylink, typed);
	// A tip that was not applied changes the total unseen; only what the button said is charged.
	if (Number(typed.get('shown') ?? total) !== total) {
		throw new Refusal(409, `The total is now ${dollars(total)}. Please confirm it.`);
	}
	const { declined } = payPaylink(world, paylink, typed, action === 'decline');
	if (declined === '') return redirect(form.onSuccessURL || `/pay/${payLinkID}`);
	if (form.onFailureURL) return redirect(form.onFailureURL);
	throw new Refusal(402, `${declined}. Nothing has been charged; you can try again.`);
}

function refund(world: World, { transactionID, payLinkID }: StoredPaylink, typed: Typed): Page {
	const text = (typed.get('amount') ?? '').trim();
	const amount = cents(text);
	if (text !== '' && amount === undefined) {
		throw new Refusal(400, 'The amount must be a number such as 2.50', 'amount');
	}
	refundPayment(world, transactionID, amount);
	return redirect(`/pay/${payLinkID}`);
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

export async function servePage(
	method: string,
	path: string,
	readBody: () => Promise<string>,
	world: World,
): Promise<Page> {
	const isPost = method === 'POST';
	if (path === '/' && !isPost) return overviewPage(world);
	const [, payLinkID = '', isRefund] = /^\/pay\/([^/]+)(\/refund)?$/.exec(path) ?? [];
	const paylink = world.state.paylinks.get(payLinkID);
	if (!paylink) {
		const words = payLinkID ? `Paylink ${payLinkID} not found` : 'There is no such page';
		return page(404, 'Not found', notice('Not found', words));
	}
	if (!isPost) return isRefund ? redirect(`/pay/${payLinkID}`) : linkPage(world, paylink);
	const typed = new Map(new URLSearchParams(await readBody()));
	try {
		return isRefund ? refund(world, paylink, typed) : pay(world, paylink, typed);
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		return linkPage(world, paylink, typed, error);
	}
}
