import { OWNER } from '../e2e/instance';
import type { StoredWorkflow } from '../e2e/n8nApi';
import type { Testbed } from '../e2e/testbed';
import { nodeCredentials } from '../sandbox';
import type { Example } from './examples';

/** What the demo says when it is ready: where everything is, and what to try with each example. */

const EXECUTE = 'Press "Execute workflow"';

/** What to do and where to look then, in the order of the examples. */
function tries({ instance: { url }, sandbox }: Testbed): string[] {
	const linkOf = (reference: string) =>
		sandbox.paylinks.find(({ referenceID }) => referenceID === reference)?.url;
	// Two links, as what is paid cannot be declined any more; the customer of the first has an email.
	const decline = `Open ${linkOf('INV-2005')} and press "Decline (simulate)"`;
	return [
		`Fill in ${url}/form/email-a-paylink; the email with the link is in the inbox, and the link leads to the pay page.`,
		`${EXECUTE}; Summary counts the customers that were created, updated and unchanged, To Look At has two rows.`,
		`${decline}; within a minute the alert is in the inbox.`,
		`${EXECUTE}; the last node shows the link, which the customer confirms with the saved card.`,
		`${EXECUTE}; Charge Once shows the charge, and alreadyPaid when you run it again.`,
		`${decline}; within a minute the customer has an email with a new link in the inbox, then two reminders: a day lasts 20 seconds here.`,
		`${EXECUTE}; yesterday's totals by status and currency are in the inbox.`,
		'Press "Open chat" and write: a link of $25 for INV-1001; approve it in the email in the inbox, and the link is in the chat.',
		`Open ${url}/webhook/buy-a-ticket; pay there, and the ticket is in the inbox.`,
		`Pay ${linkOf('INV-2001')}, then run in another terminal: curl -X POST ${url}/webhook/payment-event; the payment is in the inbox at once, and not a minute later.`,
	];
}

/** Whether it waits for a visitor, and has to be active. One on a schedule would start unasked. */
export function waitsForVisitor({ nodes }: StoredWorkflow): boolean {
	return nodes.some(({ type }) => /\.(?:formTrigger|webhook|paymentsGatewayTrigger)$/.test(type));
}

export function introduction(testbed: Testbed, examples: readonly Example[]): string {
	const { instance, sandbox, inbox } = testbed;
	const { baseUrl, groupId, headerToken, privateToken } = nodeCredentials(sandbox);
	const words = tries(testbed);
	const [first, ...others] = examples.map(
		({ name, id }, index) => `${name}  ${instance.url}/workflow/${id}\n   ${words[index]}`,
	);
	return `
Workflows  ${instance.url}/home/workflows
Login      ${OWNER.email}
Password   ${OWNER.password}
Sandbox    ${sandbox.url}  (pay pages; no money moves)
Inbox      ${inbox.url}  (the emails and alerts that the workflows send, each with its workflow's name)
Credential Base URL ${baseUrl}, Group ID ${groupId}, Header Token ${headerToken}, Private Token ${privateToken}
           (the workflows have it already; to make one yourself, as in the README)

TRY THIS FIRST
${first}

THEN, IN ANY ORDER (a double click on a node shows what it brought; 3, 6 and 10 wait for payments all
the time, so the inbox can hold an alert from each of them about the same payment)

${others.join('\n\n')}`;
}
