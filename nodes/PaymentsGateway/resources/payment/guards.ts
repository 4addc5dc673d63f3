import type { IExecuteFunctions } from 'n8n-workflow';

import type { Due } from '../../charge/sentCharges';
import { isByExpression, rawParameter } from '../../form/rawParameter';
import type { OperationContext } from '../../operation/operation';
import { formatDollars } from '../../output/money';

/** What must hold before a charge is made, also for workflows that were edited by hand. */

export const EXPECTED_TOTAL = 'Expected Total (Dollars)';
export const MOST_PER_CHARGE = 'Most per Charge (Dollars)';

/** What a cart may cost, in cents, where that is set. */
export interface Bounds {
	expectedTotal: number | undefined;
	mostPerCharge: number | undefined;
}

/** A switch counts only when somebody has set it in the node itself. */
export function isSwitchedOn({ context }: OperationContext, path: string): boolean {
	return rawParameter(context, path) === true;
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
export function guardRequests(work: OperationContext, bounds: Bounds): void {
	const { client, context, fieldError } = work;
	const { expectedTotal, mostPerCharge } = bounds;
	// Left empty it means any total; an expression that finds nothing must not.
	if (expectedTotal === undefined && isByExpression(context, 'expectedTotal')) {
		throw fieldError(`'${EXPECTED_TOTAL}' is empty`);
	}
	// A bound that an expression or an agent could raise would be none.
	const most = 'options.mostPerCharge';
	const isTypedIn = rawParameter(context, most) !== undefined && !isByExpression(context, most);
	if (mostPerCharge !== undefined && !isTypedIn) {
		throw fieldError(`'${MOST_PER_CHARGE}' takes an amount that is typed in, and no expression`);
	}
	const setIt = 'Open the node and set it there: an expression or an agent cannot do it.';
	const requires = (holds: boolean, why: string, whatToDo = setIt) => {
		if (!holds) throw fieldError(`Nothing was charged: ${why}`, whatToDo);
	};
	const isOn = (path: string) => isSwitchedOn(work, path);
	requires(isOn('customerConsent'), "'Customer Has Agreed to This Charge' is off");
	if (isAgent(context)) {
		const called = 'an AI agent called, and';
		const tell = 'Do not try again; tell the user';
		const isOff = `${called} 'Allow Charges by AI Agents' is off. ${tell}`;
		requires(isOn('options.allowAgentCharges'), isOff);
		requires(mostPerCharge !== undefined, `${called} '${MOST_PER_CHARGE}' is not set. ${tell}`);
		requires(
			expectedTotal !== undefined,
			`${called} '${EXPECTED_TOTAL}' is empty. Give what the cart costs`,
			'Let the agent fill it in, so that whoever approves the call sees the amount.',
		);
	}
	if (client.environment === 'production') {
		const why = "the credential is for production, and 'Allow Charges in Production' is off";
		requires(isOn('allowProduction'), why);
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
		throw fieldError(`${costs}, and '${EXPECTED_TOTAL}' is ${formatDollars(expectedTotal)}`);
	}
	if (mostPerCharge !== undefined && total > mostPerCharge) {
		throw fieldError(`${costs}, and '${MOST_PER_CHARGE}' is ${formatDollars(mostPerCharge)}`);
	}
	if (total < 0) throw fieldError(costs);
	if (!allowRepeat && referenceID === '') {
		throw fieldError(
			'Nothing was charged: the cart has no reference, so nothing could show whether it was paid before',
			"Make the cart with a reference, or use 'Allow Repeat Charge' under Options.",
		);
	}
}
