import { computeCart } from './cart';
import {
	addressOf,
	choicesOf,
	openingChoice,
	payPaylink,
	readAdjustments,
	type Typed,
} from './checkout';
import type { Html } from './html';
import { cents, dollars } from './money';
import { standingOf } from './paylink';
import { notice, overview, paymentForm, receipt, spokenDate } from './paymentView';
import { captureOf, refundPayment } from './payment';
import { Refusal } from './refusal';
import { document } from './shell';
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
	const headers = {
		'Content-Type': 'text/html; charset=utf-8',
		'Cache-Control': 'no-store',
	};
	return { status, headers, text: document(title, content) };
}

function redirect(location: string): Page {
	return { status: 303, headers: { Location: location }, text: '' };
}

function formPage(world: World, paylink: StoredPaylink, typed: Typed, problem: string) {
	const stored = world.state.cart(paylink.paymentData);
	const choices = choicesOf(world, paylink);
	let cart = computeCart(stored);
	try {
		cart = computeCart(stored, readAdjustments(typed));
	} catch (error) {
		// A mistyped tip or code: the page comes back with the cost without it.
		if (!(error instanceof Refusal)) throw error;
	}
	const chosen = typed.get('method') ?? openingChoice(choices, paylink);
	const address = addressOf(world, paylink);
	return paymentForm({ paylink, stored, cart, choices, chosen, address, typed, problem });
}

/** A link as it stands, with what was typed before and what was wrong with it. */
function linkPage(
	world: World,
	paylink: StoredPaylink,
	typed: Typed = new Map(),
	{ status, message }: Pick<Refusal, 'status' | 'message'> = { status: 200, message: '' },
): Page {
	const { form, referenceID, paymentData, transactionID } = paylink;
	const standing = standingOf(paylink, world);
	if (standing === 'expired') {
		const until = spokenDate(form.validUntil ?? '');
		const text = `It was valid until ${until}. Ask the merchant for a new one.`;
		return page(410, 'Link expired', notice('This link has expired', text, referenceID));
	}
	if (standing === 'open') return page(status, 'Pay', formPage(world, paylink, typed, message));
	const capture = captureOf(world, transactionID);
	const content = receipt(paylink, world.state.cart(paymentData), capture, message);
	return page(status, 'Receipt', content);
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
		throw new Refusal(400, 'The amount must be a number such as 2.50');
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
	if (path === '/') return overviewPage(world);
	const [, payLinkID = '', isRefund] = /^\/pay\/([^/]+)(\/refund)?$/.exec(path) ?? [];
	const paylink = world.state.paylinks.get(payLinkID);
	if (!paylink) {
		return page(404, 'Not found', notice('Not found', 'There is no such page or paylink.'));
	}
	if (method !== 'POST') return linkPage(world, paylink);
	const typed = new Map(new URLSearchParams(await readBody()));
	try {
		return isRefund ? refund(world, paylink, typed) : pay(world, paylink, typed);
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		return linkPage(world, paylink, typed, error);
	}
}
