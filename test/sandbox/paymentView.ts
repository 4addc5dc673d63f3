import type { Cart, Product } from '../../nodes/PaymentsGateway/wire';
import type { StoredCart } from './cart';
import type { Choice, Typed } from './checkout';
import { escaped, type Html } from './html';
import { dollars } from './money';
import type { Standing } from './paylink';
import { spokenMethod } from './paymentMethod';
import type { Capture, StoredPaylink } from './state';

/**
 * The HTML of the pages: the payment form, the receipt, a notice, and the overview of all paylinks.
 * What a form that comes back means is decided in `paymentPage.ts` and `checkout.ts`.
 */

/** "Thu, 26 Nov 2026 01:43:56 GMT" */
export const spokenDate = (moment: string) => new Date(moment).toUTCString();

/** "$10.00 monthly, 7 days free, 12 payments" */
function subscriptionTerms(product: Product): string {
	const { price = 0, recurringMode = 'DAILY', recurringInterval: interval = 1 } = product;
	const { recurringTrialDays: trial, recurringTotalCycles: cycles } = product;
	return [
		`${dollars(price)} ${recurringMode.toLowerCase()}`,
		...(interval > 1 ? [`every ${interval}`] : []),
		...(trial ? [`${trial} days free`] : []),
		cycles ? `${cycles} payments` : 'until cancelled',
	].join(', ');
}

function heading(aside: Html | string): Html {
	return escaped`<header><h1>Sandbox Merchant</h1><span class="soft">${aside}</span></header>`;
}

function row(name: Html | string, value: Html | string, look = ''): Html {
	return escaped`<tr class="${look}"><th scope="row">${name}</th><td>${value}</td></tr>`;
}

function costTable(stored: StoredCart, { lineItems, breakdown }: Cart, refunded = 0): Html {
	const { subtotal, discount, tax, shipping, fees, tip, total } = breakdown;
	const items = lineItems.map(({ product, amount, total }, index) => {
		const terms = stored.lineItems[index]?.product;
		const name = escaped`${product.name} ${amount > 1 && `× ${amount}`}
			<div class="soft">${product.description}</div>
			${terms?.isRecurring && escaped`<div class="soft">${subscriptionTerms(terms)}</div>`}`;
		return row(name, dollars(total));
	});
	const parts = { Discount: -discount, Tax: tax, Shipping: shipping, Fees: fees, Tip: tip };
	const extras = Object.entries(parts)
		.filter(([, worth]) => worth !== 0)
		.map(([name, worth]) => row(name, dollars(worth)));
	return escaped`<table>
		${items.length > 0 ? items : row('Payment', dollars(subtotal))}
		${extras.length > 0 && row('Subtotal', dollars(subtotal), 'gap')}
		${extras}
		${row('Total', dollars(total), 'gap total')}
		${refunded > 0 && row('Refunded', dollars(-refunded), 'bad')}
	</table>`;
}

function alert(problem: string): Html | undefined {
	return problem === '' ? undefined : escaped`<p class="message bad" role="alert">${problem}</p>`;
}

function input(name: string, label: string, value: string, isFixed = false): Html {
	const fixed = isFixed && escaped`readonly`;
	return escaped`<label>${label}<input name="${name}" value="${value}" ${fixed}></label>`;
}

interface PaymentFormView {
	paylink: StoredPaylink;
	stored: StoredCart;
	cart: Cart;
	choices: readonly Choice[];
	/** The value of the chosen one, or empty. */
	chosen: string;
	address: ReadonlyArray<{ name: string; label: string; opening: string }>;
	/** What was typed before, to be shown again. */
	typed: Typed;
	problem: string;
}

function adjustments({ paylink, typed }: PaymentFormView): Html | undefined {
	const { allowTip, allowExtraDiscount } = paylink.form;
	if (!allowTip && !allowExtraDiscount) return undefined;
	const field = (name: string, label: string) => input(name, label, typed.get(name) ?? '');
	return escaped`<fieldset><legend>Adjust</legend><div class="fields">
		${allowTip && field('tip', 'Tip in dollars')}
		${allowExtraDiscount && field('discountCode', 'Discount code')}
		<button name="action" value="update">Apply</button>
	</div></fieldset>`;
}

function choice({ value, saved, fields }: Choice, { chosen, typed }: PaymentFormView): Html {
	const names: Record<string, [name: string, aside: string]> = {
		card: ['Card', 'test card filled in'],
		ach: ['Bank account', 'test account filled in'],
	};
	const expires = saved?.expires ? `expires ${saved.expires}` : '';
	const [name, aside] = (saved ? [spokenMethod(saved), expires] : names[value]) ?? [];
	const checked = value === chosen && escaped`checked`;
	return escaped`<div class="choice">
		<label>
			<input type="radio" name="method" value="${value}" ${checked}>
			${name} <span class="soft">${aside}</span>
		</label>
		<div class="fields">
			${fields.map(([field, label, opening]) => input(field, label, typed.get(field) ?? opening))}
		</div>
	</div>`;
}

export function paymentForm(view: PaymentFormView): Html {
	const { paylink, stored, cart, choices, address, typed, problem } = view;
	const { form, payLinkID, referenceID } = paylink;
	const { total } = cart.breakdown;
	const isFixed = form.disableCustomAddress === true;
	const details = address.map(({ name, label, opening }) =>
		input(name, label, isFixed ? opening : (typed.get(name) ?? opening), isFixed),
	);
	const buttons = escaped`
		<button class="main" name="action" value="pay">Pay ${dollars(total)}</button>
		<button name="action" value="decline">Decline (simulate)</button>`;
	const isRecurring = stored.lineItems.some(({ product }) => product.isRecurring);
	const terms = 'The sandbox charges the first payment at once and no others.';
	// The first button is the one that Enter presses.
	return escaped`${heading(referenceID)}
		<p class="figure">${dollars(total)}</p>
		${costTable(stored, cart)}
		${isRecurring && escaped`<p class="soft">${terms}</p>`}
		${alert(problem)}
		<form method="post" action="/pay/${payLinkID}">
			<input type="hidden" name="shown" value="${total}">
			<button name="action" value="pay" hidden></button>
			${adjustments(view)}
			<fieldset><legend>Billing details</legend><div class="fields">${details}</div></fieldset>
			<fieldset><legend>Pay with</legend>${choices.map((each) => choice(each, view))}</fieldset>
			${choices.length > 0 ? buttons : alert('This link holds no payment method that can be used.')}
		</form>`;
}

const looks: Partial<Record<Standing, string>> = { open: 'soft', paid: 'good' };

function badge(standing: Standing): Html {
	return escaped`<span class="badge ${looks[standing] ?? 'bad'}">${standing}</span>`;
}

export function receipt(
	paylink: StoredPaylink,
	stored: StoredCart,
	{ occurrence, cart, refunded }: Capture,
	problem: string,
): Html {
	const { referenceID, transactionID, payLinkID, status, form } = paylink;
	const left = dollars(cart.breakdown.total - refunded);
	const refundForm = escaped`<h2>Simulate a refund</h2>
		<form method="post" action="/pay/${payLinkID}/refund"><div class="fields">
			${input('amount', `Amount in dollars, empty for all that is left: ${left}`, '')}
			<button>Refund</button>
		</div></form>`;
	const shop = form.onSuccessURL;
	return escaped`${heading(badge(status))}
		<p class="figure">${dollars(cart.breakdown.total)}</p>
		<p class="good">Thank you. Your payment has been received.</p>
		${costTable(stored, cart, refunded)}
		<h2>Details</h2>
		<table class="soft">
			${row('Paid with', spokenMethod(occurrence.method))}
			${row('Date', spokenDate(occurrence.at))}
			${referenceID !== '' && row('Reference', referenceID)}
			${row('Transaction', transactionID)}
		</table>
		${alert(problem)}
		${status !== 'refunded' && refundForm}
		${shop && escaped`<p><a href="${shop}">Continue to the shop</a></p>`}`;
}

export function notice(title: string, text: string, aside = ''): Html {
	return escaped`${heading(aside)}
		<p class="figure">${title}</p>
		<p class="soft">${text}</p>`;
}

export function overview(
	links: ReadonlyArray<{ paylink: StoredPaylink; total: number; standing: Standing }>,
	counts: string,
): Html {
	const rows = links.map(({ paylink: { payLinkID, referenceID }, total, standing }) => {
		const link = escaped`<a href="/pay/${payLinkID}">${referenceID || payLinkID}</a>`;
		return row(escaped`${link} ${badge(standing)}`, dollars(total));
	});
	return escaped`<header><h1>Payments gateway sandbox</h1></header>
		<p class="soft">${counts}</p>
		<h2>Paylinks</h2>
		${rows.length > 0 ? escaped`<table>${rows}</table>` : escaped`<p class="soft">None yet.</p>`}`;
}
