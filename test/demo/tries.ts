import { OWNER } from '../e2e/instance';
import type { StoredWorkflow } from '../e2e/n8nApi';
import type { Testbed } from '../e2e/testbed';
import { nodeCredentials } from '../sandbox';
import type { Sandbox } from '../sandbox';
import { testMethods } from '../sandbox/testMethods';
import type { Example } from './examples';

/** The text that the demo prints when it is ready: all addresses, and what to try with each example. */

const EXECUTE = 'Press "Execute workflow".';

/** A link that can still be paid or declined: the seeded one, or a new one like it. */
function unpaidLink(sandbox: Sandbox, reference: string): string {
	// INV-2001, or a later copy such as INV-2001-2, but not INV-20010.
	const ofReference = sandbox.paylinks.filter(({ referenceID }) =>
		`${referenceID}-`.startsWith(`${reference}-`),
	);
	const paid = new Set(sandbox.charges.map(({ paymentData }) => paymentData));
	const open = ofReference.find(({ paymentData }) => !paid.has(paymentData));
	if (open) return open.url;
	const form = ofReference[0]?.form ?? { pricing: { amount: 2500 } };
	const referenceID = `${reference}-${ofReference.length + 1}`;
	return sandbox.addPaylink({ ...form, referenceID }).url;
}

/** What to try with each example, by number. */
function instructions({ instance: { url }, sandbox }: Testbed): Record<number, string> {
	// Two links, since a paid one cannot be declined. The customer of the first has an email.
	const decline = `Open ${unpaidLink(sandbox, 'INV-2005')} and press "Decline (simulate)".`;
	const pay = `Pay ${unpaidLink(sandbox, 'INV-2001')}, then run this in another terminal:
   curl -X POST ${url}/webhook/payment-event`;
	return {
		1: `Fill in the form at ${url}/form/email-a-paylink. An email arrives in the inbox, and its link opens the pay page.`,
		2: `${EXECUTE} Summary counts the customers that were created, updated and unchanged. To Look At shows two rows with a problem.`,
		3: `${decline} The alert arrives in the inbox within a minute.`,
		4: `${EXECUTE} The last node shows a link, where the customer confirms with the saved card.`,
		5: `${EXECUTE} Charge Once shows the charge. Execute it again, and the outcome is alreadyPaid.`,
		6: `${decline} Within a minute the customer gets an email with a new link, then two reminders. A day takes 20 seconds here.`,
		7: `${EXECUTE} Yesterday's totals arrive in the inbox.`,
		8: 'Press "Open chat" and write: a link of $25 for INV-1001. Approve it in the email in the inbox, and the link appears in the chat.',
		9: `Open ${url}/webhook/buy-a-ticket and pay. The ticket arrives in the inbox.`,
		10: `${pay}\n   The payment arrives in the inbox immediately.`,
		11: `${EXECUTE} A table arrives in the inbox: which invoices are paid, open, paid twice, refunded, or paid with another amount.`,
	};
}

/** Forms, webhooks and this package's trigger are active; schedules would start unasked. */
export function activeInDemo({ nodes }: StoredWorkflow): boolean {
	return nodes.some(({ type }) => /\.(?:formTrigger|webhook|paymentsGatewayTrigger)$/.test(type));
}

function addresses({ instance, sandbox, inbox }: Testbed): string {
	const { baseUrl, groupId, headerToken, privateToken } = nodeCredentials(sandbox);
	return `n8n              ${instance.url}/home/workflows
  Email          ${OWNER.email}
  Password       ${OWNER.password}
Inbox            ${inbox.url}  (the emails and alerts that the workflows send; empty after a restart)
Sandbox gateway  ${sandbox.url}  (its pay pages; no money moves)

The credential of the workflows. To make one yourself, enter the same:
  Environment    Sandbox
  Base URL       ${baseUrl}
  Group ID       ${groupId}
  Header Token   ${headerToken}
  Private Token  ${privateToken}

${testMethods()}`;
}

export function introduction(testbed: Testbed, examples: readonly Example[]): string {
	const words = instructions(testbed);
	const [first = '', ...others] = examples.map(
		({ number, name, id }) =>
			`${name}  ${testbed.instance.url}/workflow/${id}\n   ${words[number] ?? EXECUTE}`,
	);
	return `
${addresses(testbed)}

TRY THIS FIRST
${first}

THEN TRY THE OTHERS, IN ANY ORDER
Double-click a node to see its output. Workflows 3, 6 and 10 watch for payments all the time, so one
payment can cause an alert from each of them.

${others.join('\n\n')}`;
}
