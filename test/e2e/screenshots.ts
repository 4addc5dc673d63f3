import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { addExamples } from '../demo/examples';
import { command } from '../report/command';
import { nodeCredentials } from '../sandbox';
import { startChatModel } from './chatModel';
import {
	CREDENTIAL,
	filledOperations,
	NAME,
	type Parameters,
	triggerOf,
	workflowOf,
} from './gatewayWorkflows';
import { say, Testbed } from './testbed';

/**
 * A command, not a test: takes a picture of everything that a merchant gets to see in n8n, for a
 * person to look through. It starts an n8n and a sandbox of its own and stops them in the end.
 */

const usage = `Usage: tsx test/e2e/screenshots.ts --out DIR

Opens the built package (npm run build) in a real n8n and takes a picture of everything that a
merchant gets to see: the panel of nodes, the credential, the pickers, each operation's form and
what comes of it, the example workflows, and the page on which a customer pays. Says for each
operation what came out, and ends with 1 if one did not go through.

  --out DIR       where the pictures go`;

function readFolder(): string {
	const { out } = parseArgs({ options: { out: { type: 'string' } } }).values;
	if (out === undefined) throw new Error('--out is missing');
	return out;
}

/** Answers how many operations did not go through. */
async function lookAtEverything(testbed: Testbed, out: string): Promise<number> {
	const { api, sandbox, inbox } = testbed;
	const editor = await testbed.editor();
	const shot = async (name: string) => await editor.screenshot(join(out, `${name}.png`));
	const open = async (parameters: Parameters, credential = testbed.credential) =>
		await editor.openWorkflow(await api.addWorkflow(workflowOf('Look', parameters, credential)));

	await open({ amount: 25 });
	await shot('canvas');
	await editor.findNodes('payments');
	await shot('panel');
	await editor.page.emulateMedia({ colorScheme: 'dark' });
	await shot('panel-dark');
	await editor.page.emulateMedia({ colorScheme: 'light' });
	await editor.choose(NAME);
	await shot('actions');

	await open({}, await api.addCredential('Look', CREDENTIAL, nodeCredentials(sandbox)));
	await editor.openNode(NAME);
	await editor.openCredential();
	await editor.credentialVerdict();
	await shot('credential');
	await editor.set('privateToken', 'not-the-token');
	await editor.saveCredential();
	await shot('credential-refused');

	await open({ resource: 'paymentMethod', operation: 'setDefault' });
	await editor.openNode(NAME);
	await editor.list('paymentMethodId');
	await shot('picker-no-customer');
	await editor.page.keyboard.press('Escape');
	await editor.list('customerId');
	await shot('picker-customers');
	await editor.list('customerId', 'amara');
	await shot('picker-customers-found');
	await editor.pick('Amara');
	await editor.list('paymentMethodId');
	await shot('picker-payment-methods');

	let failed = 0;
	for (const { name, parameters } of filledOperations(sandbox)) {
		const file = name.replace(' ', '-');
		await open(parameters);
		await editor.openNode(NAME);
		await shot(`form-${file}`);
		await editor.execute();
		const error = await editor.error();
		const output = await editor.output();
		await shot(`output-${file}`);
		const count = /\d+ items?/.exec(output)?.[0];
		if (error !== undefined || count === undefined) failed += 1;
		say(`${file.padEnd(26)} ${error?.title ?? count ?? 'nothing came out'}`);
	}

	await editor.openWorkflow(await api.addWorkflow(triggerOf(testbed.credential)));
	await editor.openNode('Trigger');
	await editor.execute();
	await shot('trigger');

	const model = await startChatModel();
	await editor.page.setViewportSize({ width: 1400, height: 800 });
	const examples = await addExamples(api, { sandbox, inbox, model: model.url });
	await model.close();
	for (const { id, name } of examples) {
		await editor.openWorkflow(id);
		await editor.screenshotCanvas(join(out, `example-${parseInt(name, 10)}.png`));
	}

	const { url } = sandbox.addPaylink({ referenceID: 'INV-9001', pricing: { amount: 2500 } });
	await editor.page.setViewportSize({ width: 900, height: 900 });
	await editor.page.goto(url);
	await shot('payment-page');
	await editor.page.getByRole('button', { name: /^Pay / }).click();
	await editor.page.getByText('Your payment has been received').waitFor();
	await shot('payment-page-paid');
	return failed;
}

command(usage, readFolder, async (out) => {
	await mkdir(out, { recursive: true });
	const testbed = new Testbed();
	try {
		await testbed.start();
		const failed = await lookAtEverything(testbed, out);
		say(`The pictures are in ${out}`);
		if (failed > 0) say(`${failed} operations did not go through`);
		return failed > 0 ? 1 : 0;
	} finally {
		await testbed.close();
	}
});
