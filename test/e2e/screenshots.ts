import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { addExamples } from '../demo/examples';
import { nodeCredentials, type Sandbox } from '../sandbox';
import { startChatModel } from './chatModel';
import type { Editor } from './editor';
import {
	CREDENTIAL,
	filledOperations,
	type Parameters,
	triggerOf,
	workflowOf,
} from './gatewayWorkflows';
import { RUNTIME, say, startTestbed, type Testbed } from './testbed';

/**
 * A command, not a test: takes a picture of everything that a merchant gets to see in n8n, for a
 * person to look through. It starts an n8n and a sandbox of its own and stops them in the end.
 */

const usage = `Usage: tsx test/e2e/screenshots.ts --out DIR [--n8n DIR] [--theme light|dark]

Opens the built package (npm run build) in a real n8n and takes a picture of everything that a
merchant gets to see: the panel of nodes, the credential, the pickers, each operation's form and
what comes of it, the example workflows, and the page on which a customer pays. Says for each
operation what came out, and ends with 1 if one did not go through.

  --out DIR       where the pictures go
  --n8n DIR       where n8n is, or is installed to (2.9 GB, once); default $N8N_E2E_DIR, or
                  that of \`npm start\`
  --theme NAME    light (default) or dark`;

function readArguments() {
	const { values } = parseArgs({
		options: {
			out: { type: 'string' },
			n8n: { type: 'string', default: RUNTIME },
			theme: { type: 'string', default: 'light' },
			help: { type: 'boolean', default: false },
		},
	});
	const { out, n8n, theme } = values;
	if (values.help || out === undefined || (theme !== 'light' && theme !== 'dark')) {
		process.stdout.write(`${usage}\n`);
		process.exit(values.help ? 0 : 1);
	}
	return { out: resolve(out), n8n: resolve(n8n), theme } as const;
}

const NAME = 'Payments Gateway';

async function lookAtPanel(editor: Editor, workflowId: string, shot: Shot): Promise<void> {
	await editor.openWorkflow(workflowId);
	await shot('canvas');
	await editor.findNodes('payments');
	await shot('panel');
	await editor.choose(NAME);
	await shot('actions');
}

async function lookAtCredential(editor: Editor, workflowId: string, shot: Shot): Promise<void> {
	await editor.openWorkflow(workflowId);
	await editor.openNode(NAME);
	await editor.openCredential();
	await editor.credentialVerdict();
	await shot('credential');
	await editor.set('privateToken', 'not-the-token');
	await editor.saveCredential();
	await shot('credential-refused');
}

async function lookAtPickers(editor: Editor, workflowId: string, shot: Shot): Promise<void> {
	await editor.openWorkflow(workflowId);
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
}

async function lookAtExamples(testbed: Testbed, out: string): Promise<void> {
	const { api, sandbox, inbox, smtp } = testbed;
	const editor = await testbed.editor();
	const model = await startChatModel();
	try {
		await editor.page.setViewportSize({ width: 1400, height: 800 });
		for (const { id, name } of await addExamples(api, { sandbox, inbox, smtp, model: model.url })) {
			await editor.openWorkflow(id);
			await editor.fit();
			await editor.screenshotCanvas(join(out, `example-${parseInt(name, 10)}.png`));
		}
	} finally {
		await model.close();
	}
}

async function lookAtPaymentPage(editor: Editor, sandbox: Sandbox, shot: Shot): Promise<void> {
	const { url } = sandbox.addPaylink({
		referenceID: 'INV-9001',
		pricing: { amount: 2500 },
	});
	await editor.page.setViewportSize({ width: 900, height: 900 });
	await editor.page.goto(url);
	await shot('payment-page');
	await editor.page.getByRole('button', { name: /^Pay / }).click();
	await editor.page.getByText('Your payment has been received').waitFor();
	await shot('payment-page-paid');
}

type Shot = (name: string) => Promise<void>;

/** Answers how many operations did not go through. */
async function lookAtEverything(testbed: Testbed, out: string): Promise<number> {
	const { api, sandbox } = testbed;
	const credential = await testbed.credential();
	const add = async (name: string, parameters: Parameters, use = credential) =>
		(await api.addWorkflow(workflowOf(name, parameters, use))).id;
	const editor = await testbed.editor();
	const shot: Shot = async (name) => await editor.screenshot(join(out, `${name}.png`));

	await lookAtPanel(editor, await add('Look', { amount: 25 }), shot);
	const second = await api.addCredential('Look', CREDENTIAL, nodeCredentials(sandbox));
	await lookAtCredential(editor, await add('Credential', {}, second), shot);
	const picker = { resource: 'paymentMethod', operation: 'setDefault' };
	await lookAtPickers(editor, await add('Pickers', picker), shot);

	let failed = 0;
	for (const { resource, operation, parameters } of filledOperations(sandbox)) {
		const name = `${resource}-${operation}`;
		await editor.openWorkflow(await add(name, { resource, operation, ...parameters }));
		await editor.openNode(NAME);
		await shot(`form-${name}`);
		await editor.execute();
		const error = await editor.error();
		const output = await editor.output();
		await shot(`output-${name}`);
		const count = /\d+ items?/.exec(output)?.[0];
		if (error !== undefined || count === undefined) failed += 1;
		say(`${name.padEnd(26)} ${error?.title ?? count ?? 'nothing came out'}`);
	}

	const trigger = await api.addWorkflow(triggerOf(credential));
	await editor.openWorkflow(trigger.id);
	await editor.openNode('Trigger');
	await editor.execute();
	await shot('trigger');

	await lookAtExamples(testbed, out);
	await lookAtPaymentPage(editor, sandbox, shot);
	return failed;
}

async function main(): Promise<void> {
	const { out, n8n, theme } = readArguments();
	await mkdir(out, { recursive: true });
	const testbed = await startTestbed({ runtime: n8n, theme });
	const failed = await lookAtEverything(testbed, out).finally(testbed.close);
	say(`The pictures are in ${out}`);
	if (failed > 0) throw new Error(`${failed} operations did not go through`);
}

main().then(
	() => process.exit(0),
	(error: unknown) => {
		say(error instanceof Error ? error.message : String(error));
		process.exit(1);
	},
);
