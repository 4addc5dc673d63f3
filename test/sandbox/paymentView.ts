import type { Cart, PaymentType, PrefilledAddress } from '../../nodes/PaymentsGateway/wire';
import type { CartLine } from './cart';
import { costTable, heading } from './costView';
import { type Html, markup } from './markup';
import { dollars } from './money';
import type { SavedMethod } from './paymentMethod';
import type { StoredPaylink } from './state';

/**
 * The HTML of the payment form. It shows a payment as it stands; what a form that comes back means
 * is decided in `paymentPage.ts`.
 */

interface PaymentFormView {
	paylink: StoredPaylink;
	cart: Cart;
	lines: readonly CartLine[];
	saved: readonly SavedMethod[];
	/** The kinds of new method on offer. */
	offered: readonly PaymentType[];
	/** `saved:ID`, `card`, `ach`, or empty for none. */
	method: string;
	address: Required<PrefilledAddress>;
	/** What was typed before, to be shown again. */
	typed: ReadonlyMap<string, string>;
	message: string;
}

const addressFields: ReadonlyArray<
	[name: keyof PrefilledAddress, label: string, width: string, autocomplete: string]
> = [
	['nameOnCard', 'Name', '', 'cc-name'],
	['email', 'Email', '', 'email'],
	['phone', 'Phone', '', 'tel'],
	['country', 'Country', '', 'country'],
	['address', 'Address', 'wide', 'street-address'],
	['city', 'City', 'third', 'address-level2'],
	['state', 'State', 'third', 'address-level1'],
	['zip', 'ZIP', 'third', 'postal-code'],
];

function addressSection({ paylink, address }: PaymentFormView): Html {
	const fixed = paylink.form.disableCustomAddress && markup` readonly`;
	const fields = addressFields.map(
		([name, label, width, autocomplete]) =>
			markup`<label class="${width}">${label}
				<input name="${name}" value="${address[name]}" autocomplete="${autocomplete}" ${fixed} /></label>`,
	);
	return markup`<h2>Billing details</h2>
		<fieldset class="grid">${fields}</fieldset>`;
}

function typedInput(
	{ typed }: PaymentFormView,
	name: string,
	label: string,
	given: string,
	width = '',
): Html {
	return markup`<label class="${width}">${label}
		<input
			name="${name}"
			value="${typed.get(name) ?? given}"
			inputmode="numeric"
			autocomplete="off" /></label>`;
}

function methodSection(view: PaymentFormView): Html {
	const radio = (value: string): Html =>
		markup`<input
			type="radio"
			name="method"
			value="${value}"
			${value === view.method && markup` checked`}
		/>`;
	const saved = view.saved.map(
		({ method }) =>
			markup`<div class="choice">
				<label>${radio(`saved:${method.cardID}`)}
					${method.brand === 'ACH' ? 'Bank account' : method.brand} ending in ${method.last4}
					<span class="soft">${method.expires !== '' && `expires ${method.expires}`}</span></label>
			</div>`,
	);
	const card = markup`<div class="choice">
		<label>${radio('card')} Card <span class="soft">test card filled in</span></label>
		<div class="grid">
			${typedInput(view, 'cardNumber', 'Card number', '4242 4242 4242 4242', 'wide')}
			${typedInput(view, 'expiryDate', 'Expiry (MM/YY)', '12/39')}
			${typedInput(view, 'cvc', 'CVC', '123')}
		</div>
	</div>`;
	const account = markup`<div class="choice">
		<label>${radio('ach')} Bank account <span class="soft">test account filled in</span></label>
		<div class="grid">
			${typedInput(view, 'routingNumber', 'Routing number', '110000000')}
			${typedInput(view, 'accountNumber', 'Account number', '000123456789')}
		</div>
	</div>`;
	return markup`<h2>Pay with</h2>
		<fieldset>
			${saved}${view.offered.includes('card') && card}${view.offered.includes('ach') && account}
		</fieldset>`;
}

function adjustmentSection({ paylink, typed }: PaymentFormView): Html | undefined {
	const { allowTip, allowExtraDiscount } = paylink.form;
	if (!allowTip && !allowExtraDiscount) return undefined;
	const percentage = typed.get('tipType') === 'percentage';
	const tip = markup`<label>Tip
			<input
				name="tip"
				value="${typed.get('tip') ?? ''}"
				inputmode="decimal"
				placeholder="0.00"
				autocomplete="off" /></label>
		<label class="unit">Unit
			<select name="tipType">
				<option value="fixed">$</option>
				<option value="percentage" ${percentage && markup` selected`}>%</option>
			</select></label>`;
	const code = markup`<label>Discount code
		<input
			name="discountCode"
			value="${typed.get('discountCode') ?? ''}"
			placeholder="SAVE10"
			autocomplete="off" /></label>`;
	return markup`<h2>
			${allowTip && allowExtraDiscount ? 'Tip and discount' : allowTip ? 'Tip' : 'Discount'}
		</h2>
		<div class="row">
			${allowTip && tip}${allowExtraDiscount && code}
			<button name="action" value="update">Apply</button>
		</div>`;
}

export function paymentForm(view: PaymentFormView): Html {
	const { paylink, cart, lines, message, saved, offered } = view;
	const { subtotal, tip, total } = cart.breakdown;
	const canPay = saved.length > 0 || offered.length > 0;
	const recurring = lines.some(({ product }) => product.isRecurring);
	const buttons = markup`<div class="actions">
		<button class="main" name="action" value="pay">
			Pay <span data-total>${dollars(total)}</span>
		</button>
		<button name="action" value="decline">Decline (simulate)</button>
	</div>`;
	return markup`${heading(paylink)}
		<p class="figure" data-total>${dollars(total)}</p>
		${costTable(lines, cart, paylink.form.allowTip === true)}
		${recurring && markup`<p class="soft">The sandbox charges the first payment at once and no others.</p>`}
		<div role="alert">${message !== '' && markup`<p class="message bad">${message}</p>`}</div>
		<form
			method="post"
			action="/pay/${paylink.payLinkID}"
			data-subtotal="${subtotal}"
			data-rest="${total - tip}"
		>
			<input type="hidden" name="shown" value="${total}" />
			<button name="action" value="pay" hidden></button>
			${adjustmentSection(view)} ${addressSection(view)} ${methodSection(view)}
			${canPay ? buttons : markup`<p class="message bad">This link holds no payment method that can be used.</p>`}
		</form>`;
}
