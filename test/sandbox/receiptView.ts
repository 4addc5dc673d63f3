import type { Cart } from '../../nodes/PaymentsGateway/wire';
import type { CartLine } from './cart';
import { costTable, heading } from './costView';
import { type Html, markup } from './markup';
import { dollars } from './money';
import type { Standing } from './paylink';
import type { StoredPaylink } from './state';

/**
 * The HTML of the pages around a payment: the receipt, a notice, and the overview of all paylinks.
 */

/** "20 Nov 2026, 13:36 UTC" */
export function spokenDate(date: Date): string {
	const [, day, month, year, time = ''] = date.toUTCString().split(' ');
	return `${Number(day)} ${month} ${year}, ${time.slice(0, 5)} UTC`;
}

interface ReceiptView {
	paylink: StoredPaylink;
	standing: Standing;
	cart: Cart;
	lines: readonly CartLine[];
	paidWith: string;
	paidAt: string;
	refunded: number;
	message: string;
	/** Empty, or where the shop wants the payer back. */
	continueTo: string;
}

const looks: Readonly<Record<Standing, string>> = {
	open: 'soft',
	expired: 'bad',
	paid: 'good',
	'partly refunded': 'bad',
	refunded: 'bad',
};

function badge(standing: Standing): Html {
	const text = standing.charAt(0).toUpperCase() + standing.slice(1);
	return markup`<span class="badge ${looks[standing]}">${text}</span>`;
}

export function receipt(view: ReceiptView): Html {
	const { paylink, standing, cart, lines, paidWith, paidAt, refunded, message, continueTo } = view;
	const left = cart.breakdown.total - refunded;
	const facts: Array<[name: string, value: string]> = [
		['Paid with', paidWith],
		['Date', spokenDate(new Date(paidAt))],
		['Reference', paylink.referenceID],
		['Transaction', paylink.transactionID],
	];
	const refundForm = markup`<h2>Simulate a refund</h2>
		<form method="post" action="/pay/${paylink.payLinkID}/refund">
			<div class="row">
				<label>Amount in dollars
					<input
						name="amount"
						inputmode="decimal"
						placeholder="${(left / 100).toFixed(2)}"
						autocomplete="off" /></label>
				<button>Refund</button>
			</div>
			<p class="soft">Empty: all that is left, ${dollars(left)}.</p>
		</form>`;
	return markup`${heading(paylink, badge(standing))}
		<p class="figure">${dollars(cart.breakdown.total)}</p>
		<p class="good">Thank you. Your payment has been received.</p>
		${costTable(lines, cart, false)}
		${
			refunded > 0 &&
			markup`<table>
				<tr>
					<th scope="row" class="bad">Refunded</th>
					<td class="bad">−${dollars(refunded)}</td>
				</tr>
			</table>`
		}
		<h2>Details</h2>
		<table class="soft">
			${facts
				.filter(([, value]) => value !== '')
				.map(
					([name, value]) =>
						markup`<tr><th scope="row">${name}</th><td${name === 'Transaction' && markup` class="code"`}>${value}</td></tr>`,
				)}
		</table>
		<div role="alert">${message !== '' && markup`<p class="message bad">${message}</p>`}</div>
		${left > 0 && refundForm}
		${continueTo !== '' && markup`<p><a class="button" href="${continueTo}">Continue to the shop</a></p>`}`;
}

export function notice(title: string, text: string, paylink?: StoredPaylink): Html {
	return markup`${heading(paylink ?? { referenceID: '' })}
		<p class="figure">${title}</p>
		<p class="soft">${text}</p>`;
}

export function overview(
	rows: ReadonlyArray<{ paylink: StoredPaylink; total: number; standing: Standing }>,
	counts: string,
): Html {
	const lines = rows.map(
		({ paylink, total, standing }) =>
			markup`<tr>
				<th scope="row">
					<a href="/pay/${paylink.payLinkID}">${paylink.referenceID || paylink.payLinkID}</a>
					${badge(standing)}
				</th>
				<td>${dollars(total)}</td>
			</tr>`,
	);
	return markup`<header><h1>Payments gateway sandbox</h1></header>
		<p class="soft">${counts}</p>
		<h2>Paylinks</h2>
		${lines.length > 0 ? markup`<table>${lines}</table>` : markup`<p class="soft">None yet.</p>`}`;
}
