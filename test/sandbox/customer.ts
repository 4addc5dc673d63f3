import type {
	CustomerDetail,
	CustomerForm,
	CustomerRow,
	Instrument,
	PaymentMethod,
} from '../../nodes/PaymentsGateway/wire';
import { identifier } from './identifier';
import { type Column, Listing } from './page';
import { type SavedMethod, savedMethod } from './paymentMethod';
import { Refusal } from './refusal';

/**
 * The sandbox's customers and their payment methods, with the rules by which they are created,
 * changed and deleted. It also keeps the list that `customers` pages through.
 */

interface StoredCustomer {
	id: string;
	form: Required<CustomerForm>;
	methods: SavedMethod[];
	/** Row and JSON of the list, made anew after a change. */
	row: CustomerRow;
	json: Buffer;
}

export type KeptCustomer = Omit<StoredCustomer, 'row' | 'json'>;

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

function rowOf({ id, form, methods }: KeptCustomer): CustomerRow {
	const shown = methods.find(({ method }) => method.isDefault)?.method;
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

const textColumn = (field: Exclude<keyof CustomerRow, 'isDefault'>): Column<StoredCustomer> => ({
	text: ({ row }) => row[field],
	sortable: true,
});

const columns: Record<keyof CustomerRow, Column<StoredCustomer>> = {
	id: textColumn('id'),
	isDefault: { text: ({ row }) => String(row.isDefault), sortable: false },
	last4: textColumn('last4'),
	brand: textColumn('brand'),
	expires: textColumn('expires'),
	name: textColumn('name'),
	city_state: textColumn('city_state'),
	zip: textColumn('zip'),
	email: textColumn('email'),
	phone: textColumn('phone'),
};

export class Customers {
	private readonly stored = new Map<string, StoredCustomer>();
	/** What the list goes on to show, while it is behind. */
	private held: StoredCustomer[] | undefined;

	readonly listing = new Listing<StoredCustomer>({
		items: () => this.held ?? [...this.stored.values()],
		columns,
		searchable: ({ row }) => Object.values(row).join('\n'),
		json: ({ json }) => json,
		// Without a sort: the order of creation, which is the map's own.
		naturalOrder: () => undefined,
	});

	has(id: string): boolean {
		return this.stored.has(id);
	}

	details(): CustomerDetail[] {
		return [...this.stored.values()].map(detailOf);
	}

	detail(id: string): CustomerDetail {
		return detailOf(this.find(id));
	}

	add(
		form: CustomerForm,
		instrument: Instrument = {},
		id = identifier('cus'),
	): { customerID: string; paymentCardID: string } {
		const saved = savedMethod(instrument);
		const customer = { id, form: pickForm(emptyForm, form), methods: saved ? [saved] : [] };
		if (saved) saved.method.isDefault = true;
		this.keep(customer);
		return { customerID: id, paymentCardID: saved?.method.cardID ?? '' };
	}

	update(id: string, form: CustomerForm, { replaces = false } = {}): void {
		const customer = this.find(id);
		this.keep({ ...customer, form: pickForm(replaces ? emptyForm : customer.form, form) });
	}

	/** The list stays as it is now, or shows again what there is. */
	holdList(isHeld: boolean): void {
		this.held = isHeld ? [...this.stored.values()] : undefined;
		this.listing.changed();
	}

	remove(id: string): void {
		this.find(id);
		this.stored.delete(id);
		this.listing.changed();
	}

	addMethod(id: string, instrument: Instrument, asDefault = false): PaymentMethod {
		const customer = this.find(id);
		const saved = savedMethod(instrument);
		if (!saved) throw new Refusal(400, 'data.form must hold one of card, ach, gpecomm');
		const methods = [...customer.methods, saved];
		if (asDefault || methods.length === 1) makeDefault(methods, saved);
		this.keep({ ...customer, methods });
		return { ...saved.method };
	}

	removeMethod(id: string, cardID: string): void {
		const customer = this.find(id);
		const gone = this.method(id, cardID);
		const methods = customer.methods.filter((each) => each !== gone);
		const [next] = methods;
		if (gone.method.isDefault && next) makeDefault(methods, next);
		this.keep({ ...customer, methods });
	}

	setDefault(id: string, cardID: string): void {
		const customer = this.find(id);
		makeDefault(customer.methods, this.method(id, cardID));
		this.keep(customer);
	}

	method(id: string, cardID: string): SavedMethod {
		const found = this.find(id).methods.find(({ method }) => method.cardID === cardID);
		if (!found) throw new Refusal(404, `Customer ${id} has no payment method ${cardID}`);
		return found;
	}

	methods(id: string): readonly SavedMethod[] {
		return this.find(id).methods;
	}

	/** All of it, to be kept in a file. */
	kept(): KeptCustomer[] {
		return [...this.stored.values()].map(({ id, form, methods }) => ({ id, form, methods }));
	}

	restore(customers: readonly KeptCustomer[]): void {
		for (const customer of customers) this.keep(customer);
	}

	private find(id: string): StoredCustomer {
		const customer = this.stored.get(id);
		if (!customer) throw new Refusal(404, `Customer ${id} not found`);
		return customer;
	}

	private keep(customer: KeptCustomer): void {
		const row = rowOf(customer);
		this.stored.set(customer.id, { ...customer, row, json: Buffer.from(JSON.stringify(row)) });
		this.listing.changed();
	}
}

/** Only the fields of the form: the same object may hold a card or bank account too. */
function pickForm(base: Required<CustomerForm>, form: CustomerForm): Required<CustomerForm> {
	return {
		nameOnCard: form.nameOnCard ?? base.nameOnCard,
		email: form.email ?? base.email,
		phone: form.phone ?? base.phone,
		billingAddress: form.billingAddress ?? base.billingAddress,
		billingCity: form.billingCity ?? base.billingCity,
		billingState: form.billingState ?? base.billingState,
		billingZip: form.billingZip ?? base.billingZip,
		billingCountry: form.billingCountry ?? base.billingCountry,
	};
}

/** A copy, so that a detail that a test holds does not change with the customer. */
function detailOf({ id, form, methods }: StoredCustomer): CustomerDetail {
	return { id, ...form, paymentCards: methods.map(({ method }) => ({ ...method })) };
}

function makeDefault(methods: readonly SavedMethod[], chosen: SavedMethod): void {
	for (const each of methods) each.method.isDefault = each === chosen;
}
