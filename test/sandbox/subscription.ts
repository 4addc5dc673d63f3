import type { Product } from '../../nodes/PaymentsGateway/wire';
import { dollars } from './money';

/**
 * Says in words how often a subscription is paid, for how long, and after what trial. The payment
 * page shows it beside the product.
 */

const units: Readonly<Record<string, { every: string; unit: string }>> = {
	DAILY: { every: 'daily', unit: 'day' },
	MONTHLY: { every: 'monthly', unit: 'month' },
	YEARLY: { every: 'yearly', unit: 'year' },
};

/** What a product without a mode is taken for; the service's description leaves it open. */
const DEFAULT_RECURRING_MODE = 'DAILY';

function rhythm(product: Product): string {
	const { every, unit } = units[product.recurringMode ?? DEFAULT_RECURRING_MODE] ?? {
		every: 'regularly',
		unit: 'period',
	};
	const { recurringInterval: interval = 1, recurringFrequency: frequency = 1 } = product;
	const period = interval > 1 ? `every ${interval} ${unit}s` : `a ${unit}`;
	if (frequency > 1) return `${frequency} times ${period}`;
	return interval > 1 ? period : every;
}

/** "$10.00 monthly, 7 days free, 12 payments" */
export function subscriptionTerms(product: Product): string {
	const {
		price = 0,
		recurringTrialDays: trial = 0,
		recurringTotalCycles: cycles = 0,
		recurringSetupFee: setupFee = 0,
	} = product;
	const terms = [`${dollars(price)} ${rhythm(product)}`];
	if (trial > 0) terms.push(`${trial} ${trial === 1 ? 'day' : 'days'} free`);
	terms.push(cycles > 0 ? `${cycles} ${cycles === 1 ? 'payment' : 'payments'}` : 'until cancelled');
	if (setupFee > 0) {
		const kind = product.recurringRefundable ? 'refundable' : 'not refundable';
		terms.push(`${dollars(setupFee)} set-up fee (${kind})`);
	}
	return terms.join(', ');
}
