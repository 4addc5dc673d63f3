import type { IExecuteFunctions } from 'n8n-workflow';

import { written } from '../../form/written';
import type { Work } from '../../operation/operation';

/** What must hold before any request of a charge is sent, also for workflows that were edited by hand. */

const NOT_BY_EXPRESSION =
	'Open the node and switch it on there: an expression or an agent cannot do it.';

/** A switch counts only when somebody has set it in the node itself. */
export function isSwitchedOn({ context }: Work, path: string): boolean {
	return written(context, path) === true;
}

/** n8n's ways of letting an agent call a node differ, and not all of them say so. */
function isAgent(context: IExecuteFunctions): boolean {
	return (
		('isToolExecution' in context && context.isToolExecution()) ||
		/Tool$/.test(context.getNode().type) ||
		context.getExecuteData().metadata?.preserveSourceOverwrite === true ||
		context.getMode() === 'internal'
	);
}

export function guardConsent(work: Work): void {
	if (!isSwitchedOn(work, 'customerConsent')) {
		throw work.complain(
			'Nothing was charged: "Customer Has Agreed to This Charge" is off',
			NOT_BY_EXPRESSION,
		);
	}
	if (isAgent(work.context) && !isSwitchedOn(work, 'options.allowAgentCharges')) {
		throw work.complain(
			'Nothing was charged: an AI agent called, and "Allow Charges by AI Agents" is off. Do not try again; tell the user',
			NOT_BY_EXPRESSION,
		);
	}
}

export function guardProduction(work: Work): void {
	if (work.client.environment === 'production' && !isSwitchedOn(work, 'allowProduction')) {
		throw work.complain(
			'Nothing was charged: the credential is for production, and "Allow Charges in Production" is off',
			NOT_BY_EXPRESSION,
		);
	}
}
