import type { Tools } from './operation';

/** What must hold before a charge, also for workflows that were written by hand: no request yet. */

const NOT_BY_EXPRESSION =
	'Open the node and switch it on there: an expression or an agent cannot do it.';

export function guardConsent({ isSwitchedOn, isAgent, complain }: Tools): void {
	if (!isSwitchedOn('customerConsent')) {
		throw complain(
			'Nothing was charged: "Customer Has Agreed to This Charge" is off',
			NOT_BY_EXPRESSION,
		);
	}
	if (isAgent && !isSwitchedOn('options.allowAgentCharges')) {
		throw complain(
			'Nothing was charged: an AI agent called, and "Allow Charges by AI Agents" is off. Do not try again; tell the user',
			NOT_BY_EXPRESSION,
		);
	}
}

export function guardProduction({ client, isSwitchedOn, complain }: Tools): void {
	if (client.environment === 'production' && !isSwitchedOn('allowProduction')) {
		throw complain(
			'Nothing was charged: the credential is for production, and "Allow Charges in Production" is off',
			NOT_BY_EXPRESSION,
		);
	}
}
