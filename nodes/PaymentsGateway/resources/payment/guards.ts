import type { IExecuteFunctions } from 'n8n-workflow';

import { amountOf } from '../../form/amount';
import { isByExpression, written } from '../../form/written';
import type { OperationContext } from '../../operation/operation';
import { formatDollars } from '../../output/money';
import type { Due } from './sentCharges';

/** What must hold before a charge is made, also for workflows that were edited by hand. */

export const EXPECTED_TOTAL = 'Expected Total (Dollars)';
export const MOST_PER_CHARGE = 'Most per Charge (Dollars)';

/** What a cart may cost, in cents, where that is set. */
export interface Bounds {
	expectedTotal: number | undefined;
	mostPerCharge: number | undefined;
}

/** Left empty it means any total; an expression that finds nothing must not. */
export function expectedTotalOf(
	{ context, fieldError }: OperationContext,
	typed: string,
): number | undefined {
	if (typed === '' && !isByExpression(context, 'expectedTotal')) return undefined;
	return amountOf(EXPECTED_TOTAL, typed, fieldError, { least: 1 });
}

/** A bound that an expression or an agent could raise would be none. */
export function mostPerChargeOf(
	{ context, fieldError }: OperationContext,
	given: string | undefined,
): number | undefined {
	const path = 'options.mostPerCharge';
	const typed = written(context, path);
	if (typed === undefined && given === undefined) return undefined;
	const isAmount = typeof typed === 'number' || typeof typed === 'string';
	if (!isAmount || isByExpression(context, path)) {
		throw fieldError(`'${MOST_PER_CHARGE}' takes an amount that is typed in, and no expression`);
	}
	return amountOf(MOST_PER_CHARGE, String(typed), fieldError, { least: 1 });
}

/** A switch counts only when somebody has set it in the node itself. */
export function isSwitchedOn({ context }: OperationContext, path: string): boolean {
	return written(context, path) === true;
}

/**
 * n8n's ways of letting an agent call a node differ, and not all of them say so: newer ones tell a
 * node that it runs as a tool, or give it another type; one version marks the data that it hands on;
 * and the chat's own agent runs it in a mode of its own.
 */
function isAgent(context: IExecuteFunctions): boolean {
	return (
		('isToolExecution' in context && context.isToolExecution()) ||
		/Tool$/.test(context.getNode().type) ||
		context.getExecuteData().metadata?.preserveSourceOverwrite === true ||
		context.getMode() === 'internal'
	);
}

/**
 * What must hold before any request is sent. An agent sees no cart, only payment data; whoever
 * approves its call must see an amount.
 */
export function guardRequests(
	work: OperationContext,
	{ expectedTotal, mostPerCharge }: Bounds,
): void {
	const isOff = (path: string) => !isSwitchedOn(work, path);
	const byAgent = isAgent(work.context);
	const inProduction = work.client.environment === 'production';
	const called = 'Nothing was charged: an AI agent called, and';
	const refusals: Array<[isRefused: boolean, why: string, whatToDo?: string]> = [
		[isOff('customerConsent'), "Nothing was charged: 'Customer Has Agreed to This Charge' is off"],
		[
			byAgent && isOff('options.allowAgentCharges'),
			`${called} 'Allow Charges by AI Agents' is off. Do not try again; tell the user`,
		],
		[
			byAgent && mostPerCharge === undefined,
			`${called} '${MOST_PER_CHARGE}' is not set. Do not try again; tell the user`,
			'Open the node and set it under Options: an expression or an agent cannot do it.',
		],
		[
			byAgent && expectedTotal === undefined,
			`${called} '${EXPECTED_TOTAL}' is empty. Give what the cart costs`,
			'Let the agent fill it in, so that whoever approves the call sees the amount.',
		],
		[
			inProduction && isOff('allowProduction'),
			"Nothing was charged: the credential is for production, and 'Allow Charges in Production' is off",
		],
	];
	const switchOn = 'Open the node and switch it on there: an expression or an agent cannot do it.';
	for (const [isRefused, why, whatToDo = switchOn] of refusals) {
		if (isRefused) throw work.fieldError(why, whatToDo);
	}
}

/** What must hold of a cart that is to be charged. */
export function guardCart(
	{ fieldError }: OperationContext,
	{ expectedTotal, mostPerCharge, allowRepeat }: Bounds & { allowRepeat: boolean },
	{ total, referenceID }: Due,
): void {
	const costs = `Nothing was charged: the cart costs ${formatDollars(total)}`;
	if (expectedTotal !== undefined && total !== expectedTotal) {
		throw fieldError(
			`${costs}, and 'Expected Total (Dollars)' is ${formatDollars(expectedTotal)}`,
			'Check the cart, its adjustments and the expected total. Fees may depend on the payment type.',
		);
	}
	if (mostPerCharge !== undefined && total > mostPerCharge) {
		throw fieldError(
			`${costs}, and 'Most per Charge (Dollars)' is ${formatDollars(mostPerCharge)}`,
			'Raise it under Options, in the node itself, if so much may be charged at once.',
		);
	}
	if (total < 0) throw fieldError(costs, 'Check the cart, its adjustments and its discounts.');
	if (!allowRepeat && referenceID === '') {
		throw fieldError(
			'Nothing was charged: the cart has no reference, so nothing could show whether it was paid before',
			"Make the cart with a reference, or use 'Allow Repeat Charge' under Options.",
		);
	}
}
