import type { IExecuteFunctions } from 'n8n-workflow';

import { isByExpression, rawParameter } from '../form/rawParameter';
import type { OperationContext } from '../operation/operation';
import { formatDollars } from '../output/money';
import type { Charge, ChargeRequest } from './charge';

/**
 * What must hold before a charge is made. The switches are read from the node's own parameters, and
 * 'Most per Charge' is refused unless it was typed in. So neither an expression nor an agent can set
 * them, even in a workflow that was edited by hand.
 */

export const EXPECTED_TOTAL = 'Expected Total (Dollars)';
export const MOST_PER_CHARGE = 'Most per Charge (Dollars)';

type AmountBounds = Pick<ChargeRequest, 'expectedTotal' | 'mostPerCharge'>;

export function isSwitchedOn({ context }: OperationContext, path: string): boolean {
	return rawParameter(context, path) === true;
}

/** Before any request is sent. */
export function guardRequests(ctx: OperationContext, bounds: AmountBounds): void {
	guardBounds(ctx, bounds);
	if (!isSwitchedOn(ctx, 'customerConsent')) {
		throw refusal(ctx, "'Customer Has Agreed to This Charge' is off");
	}
	if (isAgent(ctx.context)) guardAgent(ctx, bounds);
	if (ctx.client.environment === 'production' && !isSwitchedOn(ctx, 'allowProduction')) {
		throw refusal(
			ctx,
			"the credential is for production, and 'Allow Charges in Production' is off",
		);
	}
}

const SET_IT = 'Open the node and set it there: an expression or an agent cannot do it.';

function refusal({ fieldError }: OperationContext, message: string, description = SET_IT) {
	return fieldError(`Nothing was charged: ${message}`, description);
}

function guardBounds({ context, fieldError }: OperationContext, bounds: AmountBounds): void {
	const { expectedTotal, mostPerCharge } = bounds;
	// An empty field means any total. An expression that finds nothing must not mean that.
	if (expectedTotal === undefined && isByExpression(context, 'expectedTotal')) {
		throw fieldError(`Nothing was charged: '${EXPECTED_TOTAL}' is empty`);
	}
	const path = 'options.mostPerCharge';
	const isTyped = rawParameter(context, path) !== undefined && !isByExpression(context, path);
	if (mostPerCharge !== undefined && !isTyped) {
		throw fieldError(`'${MOST_PER_CHARGE}' takes a typed amount, not an expression`);
	}
}

/**
 * n8n's versions let an agent call a node in different ways: newer ones tell the node that it runs as
 * a tool, or give it another type; one version marks the data that it hands on; and the chat's own
 * agent runs it in a mode of its own.
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
 * Payment data does not show what a cart costs. So an agent must state the total: a person who approves
 * its call then sees an amount.
 */
function guardAgent(ctx: OperationContext, { expectedTotal, mostPerCharge }: AmountBounds): void {
	const called = 'an AI agent called, and';
	const tell = 'Do not try again; tell the user';
	if (!isSwitchedOn(ctx, 'options.allowAgentCharges')) {
		throw refusal(ctx, `${called} 'Allow Charges by AI Agents' is off. ${tell}`);
	}
	if (mostPerCharge === undefined) {
		throw refusal(ctx, `${called} '${MOST_PER_CHARGE}' is not set. ${tell}`);
	}
	if (expectedTotal === undefined) {
		throw refusal(
			ctx,
			`${called} '${EXPECTED_TOTAL}' is empty. Enter the cart's total`,
			'Let the agent fill it in, so that a person who approves the call sees the amount.',
		);
	}
}

/** Before a cart is charged. */
export function guardCart({ ctx, request, cart }: Charge): void {
	const { expectedTotal, mostPerCharge, allowRepeat } = request;
	const costs = `the cart costs ${formatDollars(cart.total)}, and`;
	if (expectedTotal !== undefined && cart.total !== expectedTotal) {
		throw refusal(
			ctx,
			`${costs} '${EXPECTED_TOTAL}' is ${formatDollars(expectedTotal)}`,
			'Run Cart → Calculate Cost again, and enter the total that it returns.',
		);
	}
	if (mostPerCharge !== undefined && cart.total > mostPerCharge) {
		throw refusal(
			ctx,
			`${costs} '${MOST_PER_CHARGE}' is ${formatDollars(mostPerCharge)}`,
			'If a charge may cost this much, raise it in the node: an expression or an agent cannot.',
		);
	}
	if (cart.total < 0) {
		throw refusal(
			ctx,
			`${costs} a total below $0 cannot be charged`,
			"Check the cart's tip, discounts and quantities.",
		);
	}
	if (!allowRepeat && cart.referenceID === '') {
		throw refusal(
			ctx,
			'the cart has no reference, so nothing could show whether it was paid before',
			"Make the cart or the paylink with a Reference ID. 'Allow Repeat Charge' under Options would charge it, and again in every run.",
		);
	}
}
