import type { ChatModel } from './chatModel';
import { startChatModel } from './chatModel';
import {
	CARD,
	chain,
	gateway,
	into,
	NODE,
	type Parameters,
	start,
	stock,
} from './gatewayWorkflows';
import { FINISHED, type StoredWorkflow } from './n8nApi';
import { Testbed, use } from './testbed';
import { until } from './until';
import { visit } from './visit';

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

/** The same behind n8n's human review: a person approves each call by email. Started in its chat. */
function reviewed(parameters: Parameters, smtp: string): StoredWorkflow {
	const { name, nodes, connections } = agentWith(3.1, parameters);
	const asked = {
		name: 'Start',
		type: '@n8n/n8n-nodes-langchain.chatTrigger',
		typeVersion: 1.3,
		position: [0, 0],
		parameters: { options: {} },
		webhookId: 'charge-agent',
	};
	const review = stock('emailSendHitlTool', 2.1, 'Review', {
		resource: 'email',
		operation: 'sendAndWait',
		message: 'The agent wants to charge a customer.',
		...{ fromEmail: 'agent@example.com', toEmail: 'owner@example.com', subject: 'A charge' },
		responseType: 'approval',
		approvalOptions: { values: { approvalType: 'double' } },
		options: {},
	});
	return {
		name,
		// As every new workflow has it: in the older order the agent goes on before the answer.
		settings: { executionOrder: 'v1' },
		nodes: [
			...nodes.filter((node) => node.name !== 'Start'),
			asked,
			{
				...review,
				webhookId: 'review',
				position: [560, 220],
				credentials: { smtp: { id: smtp, name: 'Mail' } },
			},
		],
		connections: {
			...connections,
			Payments: { ai_tool: [into('Review', 'ai_tool')] },
			Review: { ai_tool: [into('Agent', 'ai_tool')] },
		},
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

test('a person approves twice, the agent repeats, and both do it all again: one charge', async () => {
	const { api, inbox, sandbox } = testbed;
	const mail = { host: '127.0.0.1', port: inbox.smtp, secure: false, disableStartTls: true };
	const smtp = await api.addCredential('Mail', 'smtp', { ...mail, user: 'demo', password: 'demo' });
	const options = { allowAgentCharges: true, mostPerCharge: '100' };
	const id = await api.addWorkflow(reviewed(charge('REVIEWED-1', options), smtp));
	const editor = await testbed.editor();
	await editor.openWorkflow(id);
	const status = async () => (await api.executions(id))[0]?.status ?? '';
	const untilIs = async (...wanted: string[]) =>
		await until(`an execution to be ${wanted.join(', ')}`, async () =>
			wanted.includes(await status()),
		);
	const charges = () => sandbox.charges.filter(({ referenceID }) => referenceID === 'REVIEWED-1');
	const heard = model.heard.length;
	let questions = 0;
	/** Clicks the button twice. */
	const approve = async () => {
		const question = await until('the question', () => inbox.mails[questions]);
		questions++;
		// The second click may have been taken for the answer to the next question.
		await untilIs('waiting', ...FINISHED);
		const [, link = ''] = /Approve: (\S+)/.exec(question.text) ?? [];
		await visit(link);
		await visit(link);
		return link;
	};
	const ask = async () => await editor.chat('Charge the customer, please');

	model.habits.repeats = 1;
	await ask();
	const first = await approve();
	expect(charges().length).toBeLessThanOrEqual(1);
	await approve();
	await untilIs(...FINISHED);
	model.habits.repeats = 0;
	await visit(first);
	await ask();
	await approve();
	await until('both to end', async () => {
		const all = await api.executions(id);
		return all.length === 2 && all.every((each) => FINISHED.has(each.status));
	});

	expect((await api.executions(id)).map((each) => each.status)).toEqual(['success', 'success']);
	expect(model.heard.slice(heard)).toEqual([
		expect.stringContaining('CAPTURED'),
		expect.stringContaining('alreadyPaid'),
		expect.stringContaining('alreadyPaid'),
	]);
	expect(charges()).toHaveLength(1);
});
