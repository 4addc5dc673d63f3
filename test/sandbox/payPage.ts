import type { Cart } from '../../nodes/PaymentsGateway/wire';
import { computeCart, dollars } from './cart';
import { type Html, renderPage, safeHtml } from './html';
import { chargeOf, paymentMethodFor, payPaylink, prefilledPayer, statusOf } from './paylink';
import { methodLabel, captureStateOf } from './paymentMethod';
import { Refusal } from './refusal';
import type { HttpAnswer } from './request';
import type { Charge, StoredPaylink } from './state';
import type { World } from './world';

/**
 * The page of a paylink, with Pay and Decline, and the receipt that it becomes. The front page lists
 * all links.
 */

function page(status: number, content: Html, title = ''): HttpAnswer {
	const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };
	return { status, headers, text: renderPage(title, content) };
}

function row(name: Html | string, value: Html | string, className = ''): Html {
	return safeHtml`<tr class="${className}"><th scope="row">${name}</th><td>${value}</td></tr>`;
}

function costTable(world: World, paylink: StoredPaylink, { lineItems, breakdown }: Cart): Html {
	const stored = world.state.cart(paylink.paymentData);
	const { subtotal, discount, tax, shipping, fees, tip, total } = breakdown;
	const items = lineItems.map(({ product, amount, total: cost }, index) => {
		const { isRecurring, recurringMode = 'DAILY' } = stored.lineItems[index]?.product ?? {};
		const name = safeHtml`${product.name} ${amount > 1 && `× ${amount}`}
			<div class="soft">${product.description}</div>
			${isRecurring && safeHtml`<div class="soft">${recurringMode.toLowerCase()}</div>`}`;
		return row(name, dollars(cost));
	});
	const extras = { Discount: -discount, Tax: tax, Shipping: shipping, Fees: fees, Tip: tip };
	return safeHtml`<p class="figure">${dollars(total)}</p><table>
		${items.length > 0 ? items : row('Payment', dollars(subtotal))}
		${Object.entries(extras).map(([name, cost]) => cost !== 0 && row(name, dollars(cost)))}
		${row('Total', dollars(total), 'total')}
	</table>`;
}

const receiptMessages = {
	captured: safeHtml`<p class="good">Thank you. Your payment has been received.</p>`,
	pending: safeHtml`<p>Thank you. Your payment is on its way.</p>`,
	returned: safeHtml`<p class="bad">Your bank has returned this payment.</p>`,
};

function receipt(world: World, paylink: StoredPaylink, charge: Charge): Html {
	const { amount, method, at, transactionID, cart, isRefunded } = charge;
	const continueUrl = paylink.form.onSuccessURL;
	return safeHtml`${costTable(world, paylink, cart)}
		${receiptMessages[captureStateOf(charge, world.clock.now())]}
		<table class="soft">
			${isRefunded && row('Refunded', dollars(-amount), 'bad')}
			${row('Paid with', methodLabel(method))}
			${row('Date', new Date(at).toUTCString())}
			${row('Transaction', transactionID)}
		</table>
		${continueUrl && safeHtml`<p><a href="${continueUrl}">Continue to the shop</a></p>`}`;
}

function payForm(world: World, paylink: StoredPaylink): Html {
	const cart = computeCart(world.state.cart(paylink.paymentData));
	const { nameOnCard, email } = prefilledPayer(world, paylink);
	const fixed = paylink.form.disableCustomAddress && safeHtml`readonly`;
	return safeHtml`${costTable(world, paylink, cart)}
		<form method="post">
			<label>Name<input name="nameOnCard" value="${nameOnCard}" ${fixed}></label>
			<label>Email<input name="email" value="${email}" ${fixed}></label>
			<p class="soft">Pays with ${methodLabel(paymentMethodFor(world, paylink))}</p>
			<button class="main" name="action" value="pay">Pay ${dollars(cart.breakdown.total)}</button>
			<button name="action" value="decline">Decline (simulate)</button>
		</form>`;
}

/** The paylink's page, with the error message if there is one. */
function linkPage(world: World, paylink: StoredPaylink, refusal?: Refusal): HttpAnswer {
	const { status = 200, message } = refusal ?? {};
	const problem = message && safeHtml`<p class="bad" role="alert">${message}</p>`;
	const charge = chargeOf(paylink, world);
	const content = charge ? receipt(world, paylink, charge) : payForm(world, paylink);
	return page(status, safeHtml`${problem}${content}`, paylink.referenceID);
}

function pay(world: World, paylink: StoredPaylink, sent: URLSearchParams): HttpAnswer {
	const typed = { nameOnCard: sent.get('nameOnCard') ?? '', email: sent.get('email') ?? '' };
	const { onSuccessURL, onFailureURL } = paylink.form;
	const forceDecline = sent.get('action') === 'decline';
	const { declineMessage } = payPaylink(world, paylink, { typed, forceDecline });
	if (declineMessage !== '' && !onFailureURL) {
		throw new Refusal(402, `${declineMessage}. Nothing has been charged; you can try again.`);
	}
	const redirect = declineMessage === '' ? onSuccessURL : onFailureURL;
	const location = redirect || `/pay/${paylink.payLinkID}`;
	return { status: 303, headers: { Location: location }, text: '' };
}

function frontPage(world: World): HttpAnswer {
	const links = [...world.state.paylinks.values()].map((paylink) => {
		const { payLinkID, referenceID } = paylink;
		const link = safeHtml`<a href="/pay/${payLinkID}">${referenceID || payLinkID}</a>`;
		return row(link, statusOf(paylink, world));
	});
	return page(200, safeHtml`<p>Paylinks</p><table>${links}</table>`);
}

export async function servePage(
	method: string,
	path: string,
	readBody: () => Promise<string>,
	world: World,
): Promise<HttpAnswer> {
	if (path === '/') return frontPage(world);
	const paylink = world.state.paylinks.get(path.slice('/pay/'.length));
	if (!paylink) return page(404, safeHtml`<p>There is no such page or paylink.</p>`);
	if (statusOf(paylink, world) === 'expired') {
		return page(410, safeHtml`<p>This link has expired. Ask the merchant for a new one.</p>`);
	}
	if (method !== 'POST') return linkPage(world, paylink);
	try {
		return pay(world, paylink, new URLSearchParams(await readBody()));
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		return linkPage(world, paylink, error);
	}
}
