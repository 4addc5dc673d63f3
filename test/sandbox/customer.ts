import type {
	CustomerDetail,
	CustomerForm,
	CustomerRow,
	Instrument,
	PaymentMethod,
} from '../../nodes/PaymentsGateway/wire';
import { identifier } from './identifier';
import { Listing } from './listing';
import { methodOf } from './paymentMethod';
import { Refusal } from './refusal';

/**
 * The sandbox's customers and their payment methods, with the rules by which they are created,
 * changed and deleted. It also keeps the list that `customers` pages through.
 */

export interface StoredCustomer {
	id: string;
	form: Required<CustomerForm>;
	methods: PaymentMethod[];
}

const emptyForm: Required<CustomerForm> = {
	nameOnCard: '',
	email: '',
	phone: '',
	billingAddress: '',
	billingCity: '',
	billingState: '',
	billingZip: '',
	billingCountry: '',
};

function rowOf({ id, form, methods }: StoredCustomer): CustomerRow {
	const shown = methods.find(({ isDefault }) => isDefault);
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

/** A copy, which does not change with the customer. */
function detailOf({ id, form, methods }: StoredCustomer): CustomerDetail {
	return { id, ...form, paymentCards: methods.map((method) => ({ ...method })) };
}

/** Only the fields of the form: the same object may hold a card or bank account too. */
function pickForm(base: Required<CustomerForm>, given: CustomerForm): Required<CustomerForm> {
	return {
		nameOnCard: given.nameOnCard ?? base.nameOnCard,
		email: given.email ?? base.email,
		phone: given.phone ?? base.phone,
		billingAddress: given.billingAddress ?? base.billingAddress,
		billingCity: given.billingCity ?? base.billingCity,
		billingState: given.billingState ?? base.billingState,
		billingZip: given.billingZip ?? base.billingZip,
		billingCountry: given.billingCountry ?? base.billingCountry,
	};
}

function makeDefault(methods: readonly PaymentMethod[], chosen: PaymentMethod): void {
	for (const each of methods) each.isDefault = each === chosen;
}

export class Customers {
	private readonly stored = new Map<string, { customer: StoredCustomer; row: CustomerRow }>();
	/** What the list goes on to show, while it is behind. */
	private held: CustomerRow[] | undefined;

	readonly listing = new Listing<CustomerRow>({
		rows: () => this.held ?? this.rows(),
		fields: [
			...['id', 'isDefault', 'last4', 'brand', 'expires'],
			...['name', 'city_state', 'zip', 'email', 'phone'],
		],
		unsortable: 'isDefault',
	});

	constructor(kept: readonly StoredCustomer[] = []) {
		for (const customer of kept) this.keep(customer);
	}

	all(): StoredCustomer[] {
		return [...this.stored.values()].map(({ customer }) => customer);
	}

	details(): CustomerDetail[] {
		return this.all().map(detailOf);
	}

	detail(id: string): CustomerDetail {
		return detailOf(this.find(id));
	}

	methods(id: string): readonly PaymentMethod[] {
		return this.find(id).methods;
	}

	method(id: string, cardID: string): PaymentMethod {
		const found = this.methods(id).find((each) => each.cardID === cardID);
		if (!found) throw new Refusal(404, `Customer ${id} has no payment method ${cardID}`);
		return found;
	}

	has(id: string): boolean {
		return this.stored.has(id);
	}

	add(given: CustomerForm & Instrument, id = identifier('cus')) {
		const method = methodOf(given);
		if (method) method.isDefault = true;
		this.keep({ id, form: pickForm(emptyForm, given), methods: method ? [method] : [] });
		return { customerID: id, paymentCardID: method?.cardID ?? '' };
	}

	update(id: string, form: CustomerForm, { replaces = false } = {}): void {
		const customer = this.find(id);
		this.keep({ ...customer, form: pickForm(replaces ? emptyForm : customer.form, form) });
	}

	/** The list stays as it is now, or shows again what there is. */
	holdList(isHeld: boolean): void {
		this.held = isHeld ? this.rows() : undefined;
		this.listing.changed();
	}

	remove(id: string): void {
		this.find(id);
		this.stored.delete(id);
		this.listing.changed();
	}

	addMethod(id: string, instrument: Instrument, asDefault = false): PaymentMethod {
		const customer = this.find(id);
		const method = methodOf(instrument);
		if (!method) throw new Refusal(400, 'data.form must hold one of card, ach, gpecomm');
		const methods = [...customer.methods, method];
		if (asDefault || methods.length === 1) makeDefault(methods, method);
		this.keep({ ...customer, methods });
		return { ...method };
	}

	removeMethod(id: string, cardID: string): void {
		const customer = this.find(id);
		const gone = this.method(id, cardID);
		const methods = customer.methods.filter((each) => each !== gone);
		const [next] = methods;
		if (gone.isDefault && next) makeDefault(methods, next);
		this.keep({ ...customer, methods });
	}

	setDefault(id: string, cardID: string): void {
		const customer = this.find(id);
		makeDefault(customer.methods, this.method(id, cardID));
		this.keep(customer);
	}

	private rows(): CustomerRow[] {
		return [...this.stored.values()].map(({ row }) => row);
	}

	private find(id: string): StoredCustomer {
		const found = this.stored.get(id);
		if (!found) throw new Refusal(404, `Customer ${id} not found`);
		return found.customer;
	}

	private keep(customer: StoredCustomer): void {
		this.stored.set(customer.id, { customer, row: rowOf(customer) });
		this.listing.changed();
	}
}
