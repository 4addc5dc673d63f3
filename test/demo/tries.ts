import type { StoredNode, StoredWorkflow } from '../e2e/n8nApi';

/** What a visitor does to see an example workflow at work, and where to look then: one line each. */

export interface Place {
	n8n: string;
	inbox: string;
	/** A paylink of a customer who can be written to, to be declined. */
	toDecline: string;
	/** Another one: what is paid cannot be declined any more. */
	toPay: string;
}

/** By the number that the workflow's name begins with. */
const LOOK: Readonly<Record<string, string>> = {
	1: 'the email with the link is in the inbox, and the link leads to the payment page.',
	2: 'Summary counts the customers that were created, updated and unchanged, To Look At has two rows.',
	3: 'within a minute the alert is in the inbox.',
	4: 'the last node shows the link, which the customer confirms with the saved card.',
	5: 'Charge Once shows the charge, and alreadyPaid when you run it again.',
	6: 'within a minute the customer has an email with a new link in the inbox, then two reminders: a day lasts 20 seconds here.',
	7: "yesterday's totals by status and currency are in the inbox.",
	8: 'approve it in the email in the inbox, and the link is made: an alert there shows it.',
	9: 'pay there, and the ticket is in the inbox.',
	10: 'the payment is in the inbox at once, and not a minute later.',
};

function numberOf(name: string): string {
	return /^\d+/.exec(name)?.[0] ?? '';
}

export function whereToLook({ name }: StoredWorkflow): string | undefined {
	return LOOK[numberOf(name)];
}

function pathOf({ parameters, webhookId }: StoredNode): string {
	const { path, options } = parameters;
	const ofOptions = typeof options === 'object' && options !== null && 'path' in options;
	return String(path ?? (ofOptions ? options.path : webhookId));
}

type How = (node: StoredNode, place: Place, isOnly: boolean) => string;

/** How to start a workflow by hand, by its trigger; of several triggers, by the first kind here. */
const STARTS: ReadonlyArray<[type: RegExp, how: How]> = [
	[/\.formTrigger$/, (node, { n8n }) => `Fill in ${n8n}/form/${pathOf(node)}`],
	[/\.chatTrigger$/, () => 'Press "Open chat" and write: a link of $25 for INV-1001'],
	[
		/\.manualTrigger$/,
		({ name }, _, isOnly) => `Press "Execute workflow${isOnly ? '' : ` from ${name}`}"`,
	],
	[
		/\.webhook$/,
		(node, { n8n, toPay }) =>
			node.parameters.httpMethod === 'POST'
				? `Pay ${toPay}, then run in another terminal: curl -X POST ${n8n}/webhook/${pathOf(node)}`
				: `Open ${n8n}/webhook/${pathOf(node)}`,
	],
	[
		/\.paymentsGatewayTrigger$/,
		({ parameters }, { toDecline, toPay }) =>
			JSON.stringify(parameters.events ?? '').includes('payment_failed')
				? `Open ${toDecline} and press "Decline (simulate)"`
				: `Pay ${toPay}`,
	],
];

const IS_TRIGGER = /trigger$|\.webhook$/i;

export function howToStart({ nodes }: StoredWorkflow, place: Place): string | undefined {
	const triggers = nodes.filter(({ type, disabled }) => IS_TRIGGER.test(type) && disabled !== true);
	for (const [type, how] of STARTS) {
		const trigger = triggers.find((node) => type.test(node.type));
		if (trigger !== undefined) return how(trigger, place, triggers.length === 1);
	}
	return undefined;
}

/** Whether it waits for a visitor, and has to be active. One on a schedule would start unasked. */
export function waitsForVisitor({ nodes }: StoredWorkflow): boolean {
	return nodes.some(({ type }) => /\.(?:formTrigger|webhook|paymentsGatewayTrigger)$/.test(type));
}
