import type {
	CustomerDetail,
	CustomerForm,
	CustomerRow,
	Instrument,
	PaymentMethod,
} from '../../nodes/PaymentsGateway/wire';
import { identifier } from './identifier';
import { Listing } from './listing';
import { holdsMethod, createMethod } from './paymentMethod';
import { Refusal } from './refusal';

/**
 * The sandbox's customers and their payment methods, with the rules by which they are created,
 * changed and deleted. It also keeps the list that `customers` pages through.
 */

function rowOf({ id, paymentCards, ...form }: CustomerDetail): CustomerRow {
	const shown = paymentCards.find(({ isDefault }) => isDefault);
	return {
		id,
		isDefault: shown !== undefined,
		last4: shown?.last4 ?? '',
		brand: shown?.brand ?? '',
		expires: shown?.expires ?? '',
		name: form.nameOnCard,
		city_state: [form.billingCity, form.billingState].filter(Boolean).join(', '),
		zip: form.billingZip,
		email: form.email,
		phone: form.phone,
	};
}

/** Only the fields of the form: the same object may hold a card or bank account too. */
function formOf(given: CustomerForm): Required<CustomerForm> {
	return {
		nameOnCard: given.nameOnCard ?? '',
		email: given.email ?? '',
		phone: given.phone ?? '',
		billingAddress: given.billingAddress ?? '',
		billingCity: given.billingCity ?? '',
		billingState: given.billingState ?? '',
		billingZip: given.billingZip ?? '',
		billingCountry: given.billingCountry ?? '',
	};
}

function makeDefault(methods: readonly PaymentMethod[], chosen: PaymentMethod): void {
	for (const each of methods) each.isDefault = each === chosen;
}

export class Customers {
	private readonly stored = new Map<string, { customer: CustomerDetail; row: CustomerRow }>();
	/** What the list shows while it is frozen. */
	private frozen: CustomerRow[] | undefined;

	readonly listing = new Listing<CustomerRow>({
		rows: () => this.frozen ?? this.rows(),
		fields: Object.keys(rowOf({ id: '', paymentCards: [], ...formOf({}) })),
	});

	/** Copies, which do not change with the customers. */
	all(): CustomerDetail[] {
		return [...this.stored.values()].map(({ customer }) => structuredClone(customer));
	}

	detail(id: string): CustomerDetail {
		return structuredClone(this.find(id));
	}

	methods(id: string): readonly PaymentMethod[] {
		return this.find(id).paymentCards;
	}

	method(id: string, cardID: string): PaymentMethod {
		const found = this.methods(id).find((each) => each.cardID === cardID);
		if (!found) throw new Refusal(404, `Customer ${id} has no payment method ${cardID}`);
		return found;
	}

	add(given: CustomerForm & Instrument, id = identifier('cus')) {
		const stored = this.store({ id, ...formOf(given), paymentCards: [] });
		const paymentCardID = holdsMethod(given) ? this.addMethod(id, given).cardID : '';
		return { ...stored, paymentCardID };
	}

	/** Fields missing from the form stay, or are cleared with `replaces`. */
	update(id: string, form: CustomerForm, { replaces = false } = {}) {
		const customer = this.find(id);
		return this.store({ ...customer, ...formOf(replaces ? form : { ...customer, ...form }) });
	}

	freezeList(isFrozen: boolean): void {
		this.frozen = isFrozen ? this.rows() : undefined;
		this.listing.invalidate();
	}

	remove(id: string) {
		// Throws a 404 if there is none.
		this.find(id);
		this.stored.delete(id);
		this.listing.invalidate();
		return { customerID: id };
	}

	addMethod(id: string, instrument: Instrument, asDefault = false): PaymentMethod {
		const customer = this.find(id);
		const method = createMethod(instrument);
		const paymentCards = [...customer.paymentCards, method];
		if (asDefault || paymentCards.length === 1) makeDefault(paymentCards, method);
		this.store({ ...customer, paymentCards });
		return { ...method };
	}

	removeMethod(id: string, cardID: string) {
		const gone = this.method(id, cardID);
		const paymentCards = this.methods(id).filter((each) => each !== gone);
		return this.store({ ...this.find(id), paymentCards });
	}

	setDefault(id: string, cardID: string) {
		makeDefault(this.methods(id), this.method(id, cardID));
		return this.store(this.find(id));
	}

	private rows(): CustomerRow[] {
		return [...this.stored.values()].map(({ row }) => row);
	}

	private find(id: string): CustomerDetail {
		const found = this.stored.get(id);
		if (!found) throw new Refusal(404, `Customer ${id} not found`);
		return found.customer;
	}

	/** Inserts the customer, or replaces the one with its ID. Answers as the endpoints do. */
	store(customer: CustomerDetail) {
		this.stored.set(customer.id, { customer, row: rowOf(customer) });
		this.listing.invalidate();
		return { customerID: customer.id };
	}
}
