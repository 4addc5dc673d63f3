import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/**
 * A chat model on this machine, in the place of OpenAI's: it calls the first tool that it is
 * offered, with what the test tells it, and then repeats what the tool said.
 */

interface Message {
	role: string;
	content?: unknown;
}

interface Offer {
	name: string;
	parameters?: { properties?: Record<string, unknown> };
}

export interface ChatModel {
	/** For the OpenAI node's Base URL. */
	readonly url: string;
	/** What the tools have answered, in order. */
	readonly heard: readonly string[];
	/** The tools that were offered last. */
	readonly offered: readonly Offer[];
	/** What it hands to the tool; until then, the amount and the reference that it was asked for. */
	argue(values: object): void;
	close(): Promise<void>;
}

interface Asked {
	messages?: Message[];
	tools?: Array<{ function: Offer }>;
	stream?: boolean;
}

/** What a sentence such as "a link of $25 for INV-1001" asks for. */
function askedFor(messages: Message[]): object {
	const words = String(messages.filter(({ role }) => role === 'user').at(-1)?.content ?? '');
	const [reference = 'INV-1001'] = /[A-Z][A-Z0-9]*-\d+/i.exec(words) ?? [];
	const [amount = '25.00'] = /\d+(?:\.\d+)?/.exec(words.replace(reference, '')) ?? [];
	return { amount, reference };
}

/** A tool behind n8n's approval step takes its own values one level further down. */
function handed(tool: Offer | undefined, values: object): object {
	const isGated = 'toolParameters' in (tool?.parameters?.properties ?? {});
	return isGated ? { toolParameters: values, hitlParameters: {} } : values;
}

/** On a given port, or on any free one. */
export async function startChatModel(port = 0): Promise<ChatModel> {
	const heard: string[] = [];
	let offered: Offer[] = [];
	let told: object | undefined;
	let calls = 0;

	const server = createServer((request, response) => {
		void json(request).then((body) => {
			const { messages = [], tools = [], stream = false }: Asked = Object(body);
			const last = messages.at(-1);
			offered = tools.map((tool) => tool.function);
			const [tool] = offered;
			const isCall = last?.role !== 'tool' && tool !== undefined;
			if (last?.role === 'tool') heard.push(String(last.content));
			const values = handed(tool, told ?? askedFor(messages));
			const call = {
				index: 0,
				id: `call_${++calls}`,
				type: 'function',
				function: { name: tool?.name, arguments: JSON.stringify(values) },
			};
			const message = isCall
				? { role: 'assistant', content: null, tool_calls: [call] }
				: { role: 'assistant', content: `The tool said: ${heard.at(-1) ?? 'nothing'}` };
			const choice = {
				index: 0,
				finish_reason: isCall ? 'tool_calls' : 'stop',
				[stream ? 'delta' : 'message']: message,
			};
			const answer = JSON.stringify({
				id: `chat_${calls}`,
				created: 1,
				model: 'loopback',
				object: stream ? 'chat.completion.chunk' : 'chat.completion',
				choices: [choice],
				usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
			});
			response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json');
			response.end(stream ? `data: ${answer}\n\ndata: [DONE]\n\n` : answer);
		});
	});
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${Object(server.address()).port}/v1`,
		heard,
		get offered() {
			return offered;
		},
		argue: (given) => (told = given),
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
