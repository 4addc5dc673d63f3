import { addExamples } from '../demo/examples';
import type { ChatModel } from './chatModel';
import { startChatModel } from './chatModel';
import { chargeParameters, into, type NodeParameters, start } from './gatewayWorkflows';
import { FINISHED, type StoredNode, type StoredWorkflow } from './n8nApi';
import { startForTests, Testbed } from './testbed';
import { until } from './until';
import { visit } from './visit';

/** Agents have Charge as their tool: example 8, whose agent charges instead of making a link. */

const ALLOWED = { allowAgentCharges: true, mostPerCharge: '100' };
const REFUSED = 'Nothing was charged: an AI agent called, and';

const testbed = startForTests(new Testbed());
let model: ChatModel;
let example: StoredWorkflow;

beforeAll(async () => {
	model = await startChatModel();
	const examples = await addExamples(testbed, model.url);
	const { id = '' } = examples.find(({ number }) => number === 8) ?? {};
	example = await testbed.api.workflow(id);
});

afterAll(async () => await model?.close());

const charge = (referenceID: string, options: NodeParameters = {}) =>
	chargeParameters(testbed.sandbox.addCart({ referenceID }), '25.00', options);

/** An agent that starts in a chat, and whose calls a person approves by email (human review). */
function reviewedAgent(
	parameters: NodeParameters,
	changes: Record<string, Partial<StoredNode>> = {},
): StoredWorkflow {
	const changed: typeof changes = { ...changes, 'Create Paylink': { parameters } };
	return { ...example, nodes: example.nodes.map((node) => ({ ...node, ...changed[node.name] })) };
}

/**
 * An agent whose calls nobody approves. Agent 2 calls its tools itself, through LangChain; agent 3
 * hands each call to n8n's engine, which runs the tool as a node.
 */
function agentWith(typeVersion: number, parameters: NodeParameters): StoredWorkflow {
	const agent = { typeVersion, parameters: { promptType: 'define', text: 'Do it', options: {} } };
	const chat = { ...start(), name: 'Chat' };
	return {
		...reviewedAgent(parameters, { 'Office Assistant': agent, Chat: chat }),
		connections: {
			...example.connections,
			'Create Paylink': { ai_tool: [into('Office Assistant', 'ai_tool')] },
			'A Person Approves': {},
			'Office Assistant': {},
		},
	};
}

/** Runs an agent. Returns its tool's result or error, wherever n8n reports it. */
async function runAgent(typeVersion: number, parameters: NodeParameters): Promise<string> {
	const { api } = testbed;
	const id = await api.addWorkflow(agentWith(typeVersion, parameters));
	const { runs, error } = await api.execute(id);
	const agentError = runs['Office Assistant']?.at(-1)?.error;
	return JSON.stringify([model.toolResults.at(-1), runs['Create Paylink'], agentError, error]);
}

test.each([2.2, 3.1])(
	'an agent of version %d charges nobody without its switch, and once with it',
	async (version) => {
		const { sandbox } = testbed;
		const before = sandbox.charges.length;
		expect(await runAgent(version, charge(`REFUSED-${version}`))).toContain(REFUSED);
		expect(sandbox.charges).toHaveLength(before);

		expect(await runAgent(version, charge(`ALLOWED-${version}`, ALLOWED))).toContain('CAPTURED');
		expect(sandbox.charges).toHaveLength(before + 1);
	},
);

test('a reviewed charge is made once, even if the person clicks twice, the agent repeats the call, and the chat asks again', async () => {
	const { api, inbox, sandbox } = testbed;
	const id = await api.addWorkflow(reviewedAgent(charge('REVIEWED-1', ALLOWED)));
	const editor = await testbed.editor();
	await editor.openWorkflow(id);
	const statuses = async () => (await api.executions(id)).map(({ status }) => status);
	const waitForStatus = async (...wanted: string[]) =>
		await until(`an execution to be ${wanted.join(', ')}`, async () =>
			wanted.includes((await statuses())[0] ?? ''),
		);
	const before = model.toolResults.length;
	let questions = 0;
	/** Clicks the button twice. Returns its link. */
	const approve = async () => {
		const question = await until('the question', () => inbox.mails[questions]);
		questions++;
		// n8n may already have taken the second click for the answer to the next question.
		await waitForStatus('waiting', ...FINISHED);
		const [, link = ''] = /Approve: (\S+)/.exec(question.text) ?? [];
		await visit(link);
		await visit(link);
		return link;
	};
	const askInChat = async () => await editor.chat('Charge the customer, please');

	model.repeatCalls = 1;
	await askInChat();
	const first = await approve();
	await approve();
	await waitForStatus(...FINISHED);
	model.repeatCalls = 0;
	await visit(first);
	await askInChat();
	await approve();
	const ended = await until('both executions to end', async () => {
		const all = await statuses();
		return all.length === 2 && all.every((status) => FINISHED.has(status)) && all;
	});

	expect(ended).toEqual(['success', 'success']);
	expect(model.toolResults.slice(before)).toEqual([
		expect.stringContaining('CAPTURED'),
		expect.stringContaining('alreadyPaid'),
		expect.stringContaining('alreadyPaid'),
	]);
	const charged = sandbox.charges.filter(({ referenceID }) => referenceID === 'REVIEWED-1');
	expect(charged).toHaveLength(1);
});
