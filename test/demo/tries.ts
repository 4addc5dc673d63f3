import type { StoredWorkflow } from '../e2e/n8nApi';
import { OWNER } from '../e2e/instance';
import { nodeCredentials, type Sandbox } from '../sandbox';
import { standingOf } from '../sandbox/paylink';

/** What the demo says when it is ready: where everything is, and what to try with each example. */

interface Place {
	n8n: string;
	/** A paylink of a customer who can be written to, to be declined. */
	toDecline: string;
	/** Another one: what is paid cannot be declined any more. */
	toPay: string;
}

const EXECUTE = 'Press "Execute workflow"';

/** What to do and where to look then, by the number that the workflow's name begins with. */
function tries({ n8n, toDecline, toPay }: Place): Record<string, string> {
	const decline = `Open ${toDecline} and press "Decline (simulate)"`;
	return {
		1: `Fill in ${n8n}/form/email-a-paylink; the email with the link is in the inbox, and the link leads to the pay page.`,
		2: `${EXECUTE}; Summary counts the customers that were created, updated and unchanged, To Look At has two rows.`,
		3: `${decline}; within a minute the alert is in the inbox.`,
		4: `${EXECUTE}; the last node shows the link, which the customer confirms with the saved card.`,
		5: `${EXECUTE}; Charge Once shows the charge, and alreadyPaid when you run it again.`,
		6: `${decline}; within a minute the customer has an email with a new link in the inbox, then two reminders: a day lasts 20 seconds here.`,
		7: `${EXECUTE}; yesterday's totals by status and currency are in the inbox.`,
		8: 'Press "Open chat" and write: a link of $25 for INV-1001; approve it in the email in the inbox, and the link is in the chat.',
		9: `Open ${n8n}/webhook/buy-a-ticket; pay there, and the ticket is in the inbox.`,
		10: `Pay ${toPay}, then run in another terminal: curl -X POST ${n8n}/webhook/payment-event; the payment is in the inbox at once, and not a minute later.`,
	};
}

/** Whether it waits for a visitor, and has to be active. One on a schedule would start unasked. */
export function waitsForVisitor({ nodes }: StoredWorkflow): boolean {
	return nodes.some(({ type }) => /\.(?:formTrigger|webhook|paymentsGatewayTrigger)$/.test(type));
}

/** `ids` are those of the example workflows, by their names. */
export function introduction(
	n8n: string,
	ids: ReadonlyMap<string, string>,
	sandbox: Sandbox,
	inbox: string,
): string {
	const open = sandbox.paylinks.filter((paylink) => standingOf(paylink, sandbox) === 'open');
	const withEmail = open.filter(({ form }) => form.prefilledAddress?.email);
	const [first] = withEmail.concat(open);
	const [other] = open.filter((paylink) => !withEmail.includes(paylink)).concat(open);
	const [toDecline, toPay] = [first?.url ?? sandbox.url, other?.url ?? sandbox.url];
	const { baseUrl, groupId, headerToken, privateToken } = nodeCredentials(sandbox);
	const words = tries({ n8n, toDecline, toPay });
	const [start, ...others] = [...ids].map(
		([name, id]) =>
			`${name}  ${n8n}/workflow/${id}\n   ${words[parseInt(name, 10)] ?? 'Read its notes.'}`,
	);
	return `
Workflows  ${n8n}/home/workflows
Login      ${OWNER.email}
Password   ${OWNER.password}
Sandbox    ${sandbox.url}  (pay pages; no money moves)
Inbox      ${inbox}  (the emails and alerts that the workflows send, each with its workflow's name)
Credential Base URL ${baseUrl}, Group ID ${groupId}, Header Token ${headerToken}, Private Token ${privateToken}
           (the workflows have it already; to make one yourself, as in the README)

TRY THIS FIRST
${start}

THEN, IN ANY ORDER (a double click on a node shows what it brought; 3, 6 and 10 wait for payments all
the time, so the inbox can hold an alert from each of them about the same payment)

${others.join('\n\n')}`;
}
