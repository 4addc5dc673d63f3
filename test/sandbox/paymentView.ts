import type { Cart, Product } from '../../nodes/PaymentsGateway/wire';
import type { CartLine } from './cart';
import { type Choice, type Field, type Typed, valueOf } from './checkout';
import { escaped, type Html } from './html';
import { dollars } from './money';
import type { Standing } from './paylink';
import { spokenMethod } from './paymentMethod';
import type { Refusal } from './refusal';
import type { Capture, StoredPaylink } from './state';

/**
 * The HTML of the pages: the payment form, the receipt, a notice, and the overview of all paylinks.
 * What a form that comes back means is decided in `paymentPage.ts` and `checkout.ts`.
 */

/** "20 Nov 2026, 13:36 UTC" */
export function spokenDate(date: Date): string {
	const [, day, month, year, time = ''] = date.toUTCString().split(' ');
	return `${Number(day)} ${month} ${year}, ${time.slice(0, 5)} UTC`;
}

/** "$10.00 every month, 7 days free, 12 payments" */
function subscriptionTerms(product: Product): string {
	const { price = 0, recurringMode = 'DAILY', recurringInterval: interval = 1 } = product;
	const { recurringTrialDays: trial = 0, recurringTotalCycles: cycles = 0 } = product;
	const units: Record<string, string> = { DAILY: 'day', MONTHLY: 'month', YEARLY: 'year' };
	const unit = units[recurringMode] ?? 'period';
	return [
		`${dollars(price)} every ${interval > 1 ? `${interval} ${unit}s` : unit}`,
		...(trial > 0 ? [`${trial} ${trial === 1 ? 'day' : 'days'} free`] : []),
		cycles > 0 ? `${cycles} ${cycles === 1 ? 'payment' : 'payments'}` : 'until cancelled',
	].join(', ');
}

function heading(aside: Html | string): Html {
	return escaped`<header><h1>Sandbox Merchant</h1><span class="soft">${aside}</span></header>`;
}

function row(name: Html | string, value: Html | string, look = ''): Html {
	return escaped`<tr class="${look}"><th scope="row">${name}</th><td>${value}</td></tr>`;
}

function lineRow({ product, amount, total }: Cart['lineItems'][number], line?: CartLine): Html {
	const name = escaped`${product.name}
		${amount > 1 && escaped`<span class="soft">× ${amount}</span>`}
		<div class="soft">${product.description}</div>
		${line?.product.isRecurring && escaped`<div class="soft">${subscriptionTerms(line.product)}</div>`}`;
	return row(name, dollars(total));
}

function costTable(lines: readonly CartLine[], cart: Cart, refunded = 0): Html {
	const { subtotal, discount, tax, shipping, fees, tip, total } = cart.breakdown;
	const items = cart.lineItems.map((item, index) => lineRow(item, lines[index]));
	const extras = Object.entries({ Discount: -discount, Tax: tax, Shipping: shipping })
		.concat(Object.entries({ Fees: fees, Tip: tip }))
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

/** What went wrong as a whole. What belongs to a field stands at the field. */
function alert(problem: Refusal | undefined): Html {
	const isGeneral = problem !== undefined && problem.field === '';
	return escaped`<div role="alert">
		${isGeneral && escaped`<p class="message bad">${problem.message}</p>`}
	</div>`;
}

function complaint(name: string, problem: Refusal | undefined): Html | undefined {
	if (problem?.field !== name) return undefined;
	return escaped`<span class="bad" id="${name}-problem" role="alert">${problem.message}</span>`;
}

/** A field with its label and, where it was wrong, what is wrong with it; it then has the focus. */
function input(field: Field, value: string, problem?: Refusal, isFixed = false): Html {
	const { name, label, width, autocomplete = 'off' } = field;
	const wrong = complaint(name, problem);
	const marks = escaped`aria-invalid="true" aria-describedby="${name}-problem" autofocus`;
	return escaped`<div class="span${width}">
		<label for="${name}">${label}</label>
		<input id="${name}" name="${name}" value="${value}" autocomplete="${autocomplete}"
			${isFixed && escaped`readonly`} ${wrong && marks}>
		${wrong}
	</div>`;
}

interface PaymentFormView {
	paylink: StoredPaylink;
	cart: Cart;
	lines: readonly CartLine[];
	choices: readonly Choice[];
	/** The value of the chosen one, or empty. */
	chosen: string;
	address: ReadonlyArray<Field & { value: string }>;
	/** What was typed before, to be shown again. */
	typed: Typed;
	problem: Refusal | undefined;
}

function adjustmentSection({ paylink, typed, problem }: PaymentFormView): Html | undefined {
	const { allowTip, allowExtraDiscount } = paylink.form;
	const fields = [
		...(allowTip ? [{ name: 'tip', label: 'Tip in dollars', width: 2 }] : []),
		...(allowExtraDiscount ? [{ name: 'discountCode', label: 'Discount code', width: 2 }] : []),
	];
	if (fields.length === 0) return undefined;
	return escaped`<h2>Adjust</h2>
		<div class="row">
			${fields.map((field) => input(field, valueOf(field, typed), problem))}
			<button name="action" value="update">Apply</button>
		</div>`;
}

function choiceSection({ choices, chosen, typed, problem }: PaymentFormView): Html {
	const names: Record<string, [name: string, aside: string]> = {
		card: ['Card', 'test card filled in'],
		ach: ['Bank account', 'test account filled in'],
	};
	const options = choices.map(({ value, saved, fields }) => {
		const expires = saved?.expires ? `expires ${saved.expires}` : '';
		const [name, aside] = (saved ? [spokenMethod(saved), expires] : names[value]) ?? [];
		return escaped`<div class="choice">
			<label>
				<input type="radio" name="method" value="${value}" ${value === chosen && escaped`checked`}>
				${name} <span class="soft">${aside}</span>
			</label>
			<div class="grid">${fields.map((field) => input(field, valueOf(field, typed), problem))}</div>
		</div>`;
	});
	return escaped`<fieldset><legend>Pay with</legend>${options}</fieldset>
		${complaint('method', problem)}`;
}

export function paymentForm(view: PaymentFormView): Html {
	const { paylink, cart, lines, choices, address, typed, problem } = view;
	const { form, payLinkID, referenceID } = paylink;
	const { total } = cart.breakdown;
	const isFixed = form.disableCustomAddress === true;
	const details = address.map((field) =>
		input(field, isFixed ? field.value : valueOf(field, typed), problem, isFixed),
	);
	const buttons = escaped`<button class="main" name="action" value="pay">Pay ${dollars(total)}</button>
		<button name="action" value="decline">Decline (simulate)</button>`;
	const noWay = escaped`<p class="message bad">
		This link holds no payment method that can be used.
	</p>`;
	const isRecurring = lines.some(({ product }) => product.isRecurring);
	const terms = 'The sandbox charges the first payment at once and no others.';
	// The first button is the one that Enter presses.
	return escaped`${heading(referenceID)}
		<p class="figure">${dollars(total)}</p>
		${costTable(lines, cart)}
		${isRecurring && escaped`<p class="soft">${terms}</p>`}
		${alert(problem)}
		<form method="post" action="/pay/${payLinkID}">
			<input type="hidden" name="shown" value="${total}">
			<button name="action" value="pay" hidden></button>
			${adjustmentSection(view)}
			<fieldset><legend>Billing details</legend><div class="grid">${details}</div></fieldset>
			${choiceSection(view)}
			<div class="actions">${choices.length > 0 ? buttons : noWay}</div>
		</form>`;
}

const looks: Readonly<Record<Standing, string>> = {
	open: 'soft',
	expired: 'bad',
	paid: 'good',
	'partly refunded': 'bad',
	refunded: 'bad',
};

function badge(standing: Standing): Html {
	return escaped`<span class="badge ${looks[standing]}">${standing}</span>`;
}

interface ReceiptView {
	paylink: StoredPaylink;
	capture: Capture;
	lines: readonly CartLine[];
	problem: Refusal | undefined;
}

export function receipt({ paylink, capture, lines, problem }: ReceiptView): Html {
	const { occurrence, cart, refunded } = capture;
	const { referenceID, transactionID, payLinkID, status, form } = paylink;
	const left = cart.breakdown.total - refunded;
	const amount = { name: 'amount', label: 'Amount in dollars', width: 6 };
	const refundForm = escaped`<h2>Simulate a refund</h2>
		<form method="post" action="/pay/${payLinkID}/refund">
			<div class="row">${input(amount, '', problem)} <button>Refund</button></div>
			<p class="soft">Empty: all that is left, ${dollars(left)}.</p>
		</form>`;
	const shop = form.onSuccessURL;
	const link = escaped`<p><a class="button" href="${shop}">Continue to the shop</a></p>`;
	return escaped`${heading(badge(status))}
		<p class="figure">${dollars(cart.breakdown.total)}</p>
		<p class="good">Thank you. Your payment has been received.</p>
		${costTable(lines, cart, refunded)}
		<h2>Details</h2>
		<table class="soft">
			${row('Paid with', spokenMethod(occurrence.method))}
			${row('Date', spokenDate(new Date(occurrence.at)))}
			${referenceID !== '' && row('Reference', referenceID)}
			${row('Transaction', escaped`<span class="code">${transactionID}</span>`)}
		</table>
		${alert(problem)}
		${left > 0 && refundForm}
		${shop && link}`;
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
