import type { IExecuteFunctions } from 'n8n-workflow';

import { amountOf } from '../../form/amount';
import { isByExpression, written } from '../../form/written';
import type { Work } from '../../operation/operation';

/** What must hold before any request of a charge is sent, also for workflows that were edited by hand. */

export const EXPECTED_TOTAL = 'Expected Total (Dollars)';
export const MOST_PER_CHARGE = 'Most per Charge (Dollars)';

const NOT_BY_EXPRESSION =
	'Open the node and switch it on there: an expression or an agent cannot do it.';

/** A switch counts only when somebody has set it in the node itself. */
export function isSwitchedOn({ context }: Work, path: string): boolean {
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

export function guardConsent(work: Work): void {
	if (isSwitchedOn(work, 'customerConsent')) return;
	throw work.complain(
		"Nothing was charged: 'Customer Has Agreed to This Charge' is off",
		NOT_BY_EXPRESSION,
	);
}

/** The bounds of what a cart may cost, in cents, where they are set. */
export interface Bounds {
	expectedTotal: number | undefined;
	mostPerCharge: number | undefined;
}

/** An agent sees no cart, only payment data; whoever approves its call must see an amount. */
export function guardAgent(work: Work, { expectedTotal, mostPerCharge }: Bounds): void {
	if (!isAgent(work.context)) return;
	const refused = 'Nothing was charged: an AI agent called, and';
	if (!isSwitchedOn(work, 'options.allowAgentCharges')) {
		throw work.complain(
			`${refused} 'Allow Charges by AI Agents' is off. Do not try again; tell the user`,
			NOT_BY_EXPRESSION,
		);
	}
	if (mostPerCharge === undefined) {
		throw work.complain(
			`${refused} '${MOST_PER_CHARGE}' is not set. Do not try again; tell the user`,
			'Open the node and set it under Options: an expression or an agent cannot do it.',
		);
	}
	if (expectedTotal === undefined) {
		throw work.complain(
			`${refused} '${EXPECTED_TOTAL}' is empty. Give what the cart costs`,
			'Let the agent fill it in, so that whoever approves the call sees the amount.',
		);
	}
}

export function guardProduction(work: Work): void {
	if (work.client.environment === 'production' && !isSwitchedOn(work, 'allowProduction')) {
		throw work.complain(
			"Nothing was charged: the credential is for production, and 'Allow Charges in Production' is off",
			NOT_BY_EXPRESSION,
		);
	}
}

/** Left empty, or typed as 0, it means any total; an expression that finds nothing must not. */
export function expectedTotalOf({ context, complain }: Work, typed: string): number | undefined {
	const isTyped = !isByExpression(context, 'expectedTotal');
	if (typed === '' && isTyped) return undefined;
	const cents = amountOf(EXPECTED_TOTAL, typed, complain, { least: isTyped ? 0 : 1 });
	return cents === 0 ? undefined : cents;
}

/** A bound that an expression or an agent could raise would be none. */
export function mostPerChargeOf(
	{ context, complain }: Work,
	typed: string | undefined,
): number | undefined {
	const literal = written(context, 'options.mostPerCharge');
	if (literal === undefined && typed === undefined) return undefined;
	const isLiteral = typeof literal === 'number' || typeof literal === 'string';
	if (!isLiteral || String(literal).startsWith('=')) {
		throw complain(`'${MOST_PER_CHARGE}' takes an amount that is typed in, and no expression`);
	}
	return amountOf(MOST_PER_CHARGE, String(literal), complain, { least: 1 });
}
