import { credentialsOf } from '../demo/examples';
import type { ChatModel } from './chatModel';
import { startChatModel } from './chatModel';
import {
	CARD,
	chain,
	coreNode,
	gatewayNode,
	into,
	NODE,
	type NodeParameters,
	start,
} from './gatewayWorkflows';
import { FINISHED, type StoredWorkflow } from './n8nApi';
import { startForTests, Testbed } from './testbed';
import { until } from './until';
import { visit } from './visit';

/** The node is used as a tool by agents of versions 2 and 3, with a scripted chat model. */

const ALLOWED = { allowAgentCharges: true, mostPerCharge: '100' };
const REFUSED = 'Nothing was charged: an AI agent called, and';

const testbed = startForTests(new Testbed());
let model: ChatModel;
let credentials: Awaited<ReturnType<typeof credentialsOf>>;

beforeAll(async () => {
	model = await startChatModel();
	credentials = await credentialsOf(testbed, model.url);
});

afterAll(async () => await model?.close());

/**
 * Agent 2 calls its tools itself, through LangChain; agent 3 hands each call to n8n's engine, which
 * runs the tool as a node.
 */
function agentWith(
	typeVersion: number,
	parameters: NodeParameters,
	trigger = start(),
): StoredWorkflow {
	const agent = {
		name: 'Agent',
		type: '@n8n/n8n-nodes-langchain.agent',
		typeVersion,
		position: [0, 0],
		parameters: { promptType: 'define', text: 'Do it', options: {} },
	};
	const chat = {
		name: 'Model',
		type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
		typeVersion: 1.2,
		position: [160, 220],
		parameters: {
			model: { __rl: true, mode: 'id', value: 'loopback' },
			options: { baseURL: model.url },
		},
		credentials: { openAiApi: { id: credentials.openAiApi, name: 'Chat model' } },
	};
	const tool = gatewayNode('Payments', parameters, testbed.credentialId, `${NODE}Tool`);
	const { name, nodes, connections } = chain('Agent', [trigger, agent]);
	return {
		name,
		nodes: [...nodes, chat, { ...tool, position: [360, 220] }],
		connections: {
			...connections,
			Model: { ai_languageModel: [into('Agent', 'ai_languageModel')] },
			Payments: { ai_tool: [into('Agent', 'ai_tool')] },
		},
	};
}

function charge(referenceID: string, options: NodeParameters = {}): NodeParameters {
	return {
		resource: 'payment',
		operation: 'charge',
		paymentData: testbed.sandbox.addCart({ referenceID }),
		customerConsent: true,
		expectedTotal: '25.00',
		card: CARD,
		options,
	};
}

/** An agent that starts in a chat, and whose calls a person approves by email (human review). */
function reviewedAgent(parameters: NodeParameters): StoredWorkflow {
	const chatTrigger = {
		name: 'Start',
		type: '@n8n/n8n-nodes-langchain.chatTrigger',
		typeVersion: 1.3,
		position: [0, 0],
		parameters: { options: {} },
		webhookId: 'charge-agent',
	};
	const { name, nodes, connections } = agentWith(3.1, parameters, chatTrigger);
	const review = coreNode('emailSendHitlTool', 2.1, 'Review', {
		resource: 'email',
		operation: 'sendAndWait',
		message: 'The agent wants to charge a customer.',
		fromEmail: 'agent@example.com',
		toEmail: 'owner@example.com',
		subject: 'A charge',
		responseType: 'approval',
		approvalOptions: { values: { approvalType: 'double' } },
		options: {},
	});
	return {
		name,
		// The default of new workflows: in the older order the agent continues before the answer.
		settings: { executionOrder: 'v1' },
		nodes: [
			...nodes,
			{
				...review,
				webhookId: 'review',
				position: [560, 220],
				credentials: { smtp: { id: credentials.smtp, name: 'Mail' } },
			},
		],
		connections: {
			...connections,
			Payments: { ai_tool: [into('Review', 'ai_tool')] },
			Review: { ai_tool: [into('Agent', 'ai_tool')] },
		},
	};
}

/** Runs an agent. Returns its tool's result or error, wherever n8n reports it. */
async function runAgent(typeVersion: number, parameters: NodeParameters): Promise<string> {
	const { api } = testbed;
	const { runs, error } = await api.execute(
		await api.addWorkflow(agentWith(typeVersion, parameters)),
	);
	return JSON.stringify([
		model.toolResults.at(-1),
		runs.Payments,
		runs.Agent?.at(-1)?.error,
		error,
	]);
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
	const status = async () => (await api.executions(id))[0]?.status ?? '';
	const waitForStatus = async (...wanted: string[]) =>
		await until(`an execution to be ${wanted.join(', ')}`, async () =>
			wanted.includes(await status()),
		);
	const charges = () => sandbox.charges.filter(({ referenceID }) => referenceID === 'REVIEWED-1');
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

	model.settings.repeatCalls = 1;
	await askInChat();
	const first = await approve();
	await approve();
	await waitForStatus(...FINISHED);
	model.settings.repeatCalls = 0;
	await visit(first);
	await askInChat();
	await approve();
	await until('both executions to end', async () => {
		const all = await api.executions(id);
		return all.length === 2 && all.every((each) => FINISHED.has(each.status));
	});

	expect((await api.executions(id)).map((each) => each.status)).toEqual(['success', 'success']);
	expect(model.toolResults.slice(before)).toEqual([
		expect.stringContaining('CAPTURED'),
		expect.stringContaining('alreadyPaid'),
		expect.stringContaining('alreadyPaid'),
	]);
	expect(charges()).toHaveLength(1);
});
