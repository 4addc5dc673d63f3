import type { ChatModel } from './chatModel';
import { startChatModel } from './chatModel';
import { chain, gateway, NODE, type Parameters, start } from './gatewayWorkflows';
import type { StoredNode, StoredWorkflow } from './n8nApi';
import type { Testbed } from './testbed';
import { startTestbed } from './testbed';

/** An AI agent uses the node as a tool, in both of n8n's ways, with a made-up chat model. */

const REFUSED = 'Nothing was charged: an AI agent called, and';

let testbed: Testbed;
let model: ChatModel;
let credential: string;
let openAi: string;

beforeAll(async () => {
	model = await startChatModel();
	testbed = await startTestbed();
	credential = await testbed.credential();
	openAi = await testbed.api.addCredential('Model', 'openAiApi', {
		apiKey: 'none-on-loopback',
		url: model.url,
	});
});

afterAll(async () => {
	await testbed?.close();
	await model?.close();
});

/** n8n hands a tool to an agent in two ways, by the version of the agent. */
function agentWith(typeVersion: number, parameters: Parameters): StoredWorkflow {
	const agent: StoredNode = {
		name: 'Agent',
		type: '@n8n/n8n-nodes-langchain.agent',
		typeVersion,
		position: [0, 0],
		parameters: { promptType: 'define', text: 'Do it', options: {} },
	};
	const chat: StoredNode = {
		name: 'Model',
		type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
		typeVersion: 1.2,
		position: [160, 220],
		parameters: {
			model: { __rl: true, mode: 'id', value: 'loopback' },
			options: { baseURL: model.url },
		},
		credentials: { openAiApi: { id: openAi, name: 'Model' } },
	};
	const tool = gateway('Payments', parameters, credential, `${NODE}Tool`);
	const { name, nodes, connections } = chain('Agent', [start(), agent]);
	const into = (type: string) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
	return {
		name,
		nodes: [...nodes, chat, { ...tool, position: [360, 220] }],
		connections: { ...connections, Model: into('ai_languageModel'), Payments: into('ai_tool') },
	};
}

function commit(referenceID: string, options: Parameters = {}): Parameters {
	return {
		resource: 'payment',
		operation: 'commit',
		paymentData: testbed.sandbox.addCart({ referenceID }),
		customerConsent: true,
		expectedTotal: '25.00',
		card: { details: { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' } },
		options,
	};
}

/** What the agent's tool said, to the agent or in place of it. */
async function ask(typeVersion: number, parameters: Parameters): Promise<string> {
	const { api } = testbed;
	const { id } = await api.addWorkflow(agentWith(typeVersion, parameters));
	const { runs, error } = await api.execute(id);
	return JSON.stringify([model.heard.at(-1), runs.Payments, runs.Agent?.at(-1)?.error, error]);
}

test('the node is listed as a tool, the trigger is not', async () => {
	const { id } = await testbed.api.addWorkflow(agentWith(3.1, {}));
	const editor = await testbed.editor();
	await editor.openWorkflow(id);
	expect(await editor.findTools('Agent', 'payments')).toEqual(['Payments Gateway Tool']);
});

test.each([2.2, 3.1])('an agent of version %d does what the model asks for', async (agent) => {
	const referenceID = `AGENT-${agent}`;
	model.argue({ Amount: 12.5, Reference: referenceID });
	const said = await ask(agent, {
		resource: 'paylink',
		operation: 'create',
		amount: "={{ $fromAI('Amount', 'in dollars', 'number') }}",
		referenceId: "={{ $fromAI('Reference', '', 'string') }}",
	});
	const link = testbed.sandbox.paylinks.find((each) => each.referenceID === referenceID);
	expect(link).toMatchObject({ form: { pricing: { amount: 1250 } } });
	expect(said).toContain(link?.url);
});

test.each([2.2, 3.1])(
	'an agent of version %d charges nobody without its switch, and once with it',
	async (agent) => {
		const { sandbox } = testbed;
		model.argue({});
		const before = sandbox.charges.length;
		expect(await ask(agent, commit(`REFUSED-${agent}`))).toContain(REFUSED);
		expect(sandbox.charges).toHaveLength(before);

		const options = { allowAgentCharges: true, mostPerCharge: '100' };
		expect(await ask(agent, commit(`ALLOWED-${agent}`, options))).toContain('CAPTURED');
		expect(sandbox.charges).toHaveLength(before + 1);
	},
);
