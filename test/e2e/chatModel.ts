import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/**
 * A chat model on this machine, in the place of OpenAI's: it calls the first tool that it is
 * offered, with the amount and the reference that it is asked for, and answers with the tool's result.
 * With `repeats` it calls the tool again, as a model does that does not trust a result.
 */

interface Message {
	role: string;
	content?: unknown;
}

interface Offer {
	name: string;
	parameters?: { properties?: Record<string, unknown> };
}

interface Asked {
	messages: Message[];
	tools?: Array<{ function: Offer }>;
	stream?: boolean;
}

export type ChatModel = Awaited<ReturnType<typeof startChatModel>>;

/** What a sentence such as "a link of $25 for INV-1001" asks for. */
function askedFor(messages: Message[]): object {
	const words = String(messages.filter(({ role }) => role === 'user').at(-1)?.content ?? '');
	const [reference = 'INV-1001'] = /[A-Z][A-Z0-9]*-\d+/i.exec(words) ?? [];
	const [amount = '25.00'] = /\d+(?:\.\d+)?/.exec(words.replace(reference, '')) ?? [];
	return { amount, reference };
}

/** A tool behind n8n's approval step takes its own values one level further down. */
function handed({ parameters }: Offer, values: object): object {
	const isGated = 'toolParameters' in (parameters?.properties ?? {});
	return isGated ? { toolParameters: values, hitlParameters: {} } : values;
}

/** In a sentence: the link that a tool has made, or else what it said. */
function answerTo(said: string): string {
	const [link] = /https?:[^\s"\\]+/.exec(said) ?? [];
	return link === undefined ? `The tool said: ${said}` : `Here is the link: ${link}`;
}

/** On a given port, or on any free one. */
export async function startChatModel(port = 0) {
	/** What the tools have answered, in order. */
	const heard: string[] = [];
	/** The names of the tools that were offered last. */
	const offered: string[] = [];
	const habits = { repeats: 0 };
	let calls = 0;

	function reply({ messages, tools = [] }: Asked) {
		offered.splice(0, Infinity, ...tools.map((tool) => tool.function.name));
		const last = messages.at(-1);
		if (last?.role === 'tool') heard.push(String(last.content));
		const results = messages.filter(({ role }) => role === 'tool').length;
		const tool = tools[0]?.function;
		if (results > habits.repeats || tool === undefined) {
			const content = answerTo(heard.at(-1) ?? 'nothing');
			return { finish_reason: 'stop', message: { role: 'assistant', content } };
		}
		const values = JSON.stringify(handed(tool, askedFor(messages)));
		const call = { name: tool.name, arguments: values };
		const made = { index: 0, id: `call_${++calls}`, type: 'function', function: call };
		const message = { role: 'assistant', content: null, tool_calls: [made] };
		return { finish_reason: 'tool_calls', message };
	}

	const server = createServer((request, response) => {
		const answerIn = (body: unknown) => {
			const asked: Asked = Object(body);
			const isStream = asked.stream === true;
			const { message, finish_reason } = reply(asked);
			const answer = JSON.stringify({
				id: 'chat',
				created: 1,
				model: 'loopback',
				object: isStream ? 'chat.completion.chunk' : 'chat.completion',
				choices: [{ index: 0, finish_reason, [isStream ? 'delta' : 'message']: message }],
				usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
			});
			response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
			response.end(isStream ? `data: ${answer}\n\ndata: [DONE]\n\n` : answer);
		};
		json(request)
			.then(answerIn)
			// A request that is no chat must not end the process.
			.catch(() => response.writeHead(400).end());
	});
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	return {
		/** For the OpenAI node's Base URL. */
		url: `http://127.0.0.1:${Object(server.address()).port}/v1`,
		heard,
		offered,
		/** How many more times it calls the tool after a result. */
		habits,
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
