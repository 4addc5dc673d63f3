import type { StoredWorkflow } from '../e2e/n8nApi';

/** What a visitor does to see an example workflow at work, and where to look then: one line each. */

export interface Place {
	n8n: string;
	/** A paylink of a customer who can be written to, to be declined. */
	toDecline: string;
	/** Another one: what is paid cannot be declined any more. */
	toPay: string;
}

interface Try {
	start: string;
	look: string;
}

const EXECUTE = 'Press "Execute workflow"';

/** By the number that the workflow's name begins with. */
export function tryOf({ name }: StoredWorkflow, { n8n, toDecline, toPay }: Place): Try | undefined {
	const decline = `Open ${toDecline} and press "Decline (simulate)"`;
	const tries: Record<string, [start: string, look: string]> = {
		1: [
			`Fill in ${n8n}/form/email-a-paylink`,
			'the email with the link is in the inbox, and the link leads to the payment page.',
		],
		2: [
			EXECUTE,
			'Summary counts the customers that were created, updated and unchanged, To Look At has two rows.',
		],
		3: [decline, 'within a minute the alert is in the inbox.'],
		4: [EXECUTE, 'the last node shows the link, which the customer confirms with the saved card.'],
		5: [EXECUTE, 'Charge Once shows the charge, and alreadyPaid when you run it again.'],
		6: [
			decline,
			'within a minute the customer has an email with a new link in the inbox, then two reminders: a day lasts 20 seconds here.',
		],
		7: [EXECUTE, "yesterday's totals by status and currency are in the inbox."],
		8: [
			'Press "Open chat" and write: a link of $25 for INV-1001',
			'approve it in the email in the inbox, and the link is made: an alert there shows it.',
		],
		9: [`Open ${n8n}/webhook/buy-a-ticket`, 'pay there, and the ticket is in the inbox.'],
		10: [
			`Pay ${toPay}, then run in another terminal: curl -X POST ${n8n}/webhook/payment-event`,
			'the payment is in the inbox at once, and not a minute later.',
		],
	};
	const [start, look] = tries[parseInt(name, 10)] ?? [];
	return start === undefined || look === undefined ? undefined : { start, look };
}

/** Whether it waits for a visitor, and has to be active. One on a schedule would start unasked. */
export function waitsForVisitor({ nodes }: StoredWorkflow): boolean {
	return nodes.some(({ type }) => /\.(?:formTrigger|webhook|paymentsGatewayTrigger)$/.test(type));
}
