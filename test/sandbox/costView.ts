import type { Cart } from '../../nodes/PaymentsGateway/wire';
import type { CartLine } from './cart';
import { type Html, markup } from './markup';
import { dollars } from './money';
import type { StoredPaylink } from './state';
import { subscriptionTerms } from './subscription';

/**
 * The parts of a payment page that show what is paid: the heading and the table of costs. The form
 * and the receipt share them.
 */

export function heading(paylink: Pick<StoredPaylink, 'referenceID'>, badge?: Html): Html {
	const { referenceID } = paylink;
	return markup`<header>
		<h1>Sandbox Merchant</h1>
		${badge ?? (referenceID !== '' && markup`<span class="soft">${referenceID}</span>`)}
	</header>`;
}

function lineRows(lines: readonly CartLine[], cart: Cart): Html[] {
	return cart.lineItems.map(({ product, amount, total }, index) => {
		const stored = lines[index]?.product;
		return markup`<tr>
			<th scope="row">
				${product.name}${amount > 1 && markup` <span class="soft">× ${amount}</span>`}
				${product.description !== '' && markup`<div class="soft">${product.description}</div>`}
				${stored?.isRecurring && markup`<div class="soft">${subscriptionTerms(stored)}</div>`}
			</th>
			<td>${dollars(total)}</td>
		</tr>`;
	});
}

export function costTable(lines: readonly CartLine[], cart: Cart, tipShown: boolean): Html {
	const { subtotal, discount, tax, shipping, fees, tip, total } = cart.breakdown;
	const rows: Html[] = lineRows(lines, cart);
	if (rows.length === 0) {
		rows.push(
			markup`<tr>
				<th scope="row">Payment</th>
				<td>${dollars(subtotal)}</td>
			</tr>`,
		);
	}
	const parts: Array<[name: string, worth: number]> = [
		['Tax', tax],
		['Shipping', shipping],
		['Fees', fees],
	];
	const extras = parts
		.filter(([, worth]) => worth > 0)
		.map(
			([name, worth]) =>
				markup`<tr>
					<th scope="row">${name}</th>
					<td>${dollars(worth)}</td>
				</tr>`,
		);
	if (discount > 0) {
		extras.unshift(
			markup`<tr>
				<th scope="row">Discount</th>
				<td>−${dollars(discount)}</td>
			</tr>`,
		);
	}
	if (tip > 0 || tipShown) {
		extras.push(
			markup`<tr>
				<th scope="row">Tip</th>
				<td data-tip>${dollars(tip)}</td>
			</tr>`,
		);
	}
	if (extras.length > 0) {
		extras.unshift(
			markup`<tr class="gap">
				<th scope="row">Subtotal</th>
				<td>${dollars(subtotal)}</td>
			</tr>`,
		);
	}
	return markup`<table>
		${rows}${extras}
		<tr class="total">
			<th scope="row">Total</th>
			<td data-total>${dollars(total)}</td>
		</tr>
	</table>`;
}
