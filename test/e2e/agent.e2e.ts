import type { ChatModel } from './chatModel';
import { startChatModel } from './chatModel';
import { CARD, chain, gateway, into, NODE, type Parameters, start } from './gatewayWorkflows';
import type { StoredWorkflow } from './n8nApi';
import { Testbed, use } from './testbed';

/** An AI agent uses the node as a tool, in both of n8n's ways, with a made-up chat model. */

const REFUSED = 'Nothing was charged: an AI agent called, and';

const testbed = use(new Testbed());
let model: ChatModel;
let openAi: string;

beforeAll(async () => {
	model = await startChatModel();
	const data = { apiKey: 'none-on-loopback', url: model.url };
	openAi = await testbed.api.addCredential('Model', 'openAiApi', data);
});

afterAll(async () => await model?.close());

/** n8n hands a tool to an agent in two ways, by the version of the agent. */
function agentWith(typeVersion: number, parameters: Parameters): StoredWorkflow {
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
		credentials: { openAiApi: { id: openAi, name: 'Model' } },
	};
	const tool = gateway('Payments', parameters, testbed.credential, `${NODE}Tool`);
	const { name, nodes, connections } = chain('Agent', [start(), agent]);
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

function charge(referenceID: string, options: Parameters = {}): Parameters {
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

/** What the agent's tool said, to the agent or in place of it. */
async function ask(typeVersion: number, parameters: Parameters): Promise<string> {
	const { api } = testbed;
	const { runs, error } = await api.execute(
		await api.addWorkflow(agentWith(typeVersion, parameters)),
	);
	return JSON.stringify([model.heard.at(-1), runs.Payments, runs.Agent?.at(-1)?.error, error]);
}

test.each([2.2, 3.1])(
	'an agent of version %d charges nobody without its switch, and once with it',
	async (agent) => {
		const { sandbox } = testbed;
		const before = sandbox.charges.length;
		expect(await ask(agent, charge(`REFUSED-${agent}`))).toContain(REFUSED);
		expect(sandbox.charges).toHaveLength(before);

		const options = { allowAgentCharges: true, mostPerCharge: '100' };
		expect(await ask(agent, charge(`ALLOWED-${agent}`, options))).toContain('CAPTURED');
		expect(sandbox.charges).toHaveLength(before + 1);
	},
);
