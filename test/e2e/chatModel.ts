import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/**
 * A chat model on this machine, in place of OpenAI's: it calls the first tool that it is offered,
 * with the amount and the reference of the user's last message, and answers with the tool's result.
 * With `repeatCalls` it calls the tool again, like a model that does not trust a result.
 */

interface Message {
	role: string;
	content?: unknown;
}

interface ToolDefinition {
	name: string;
	parameters?: { properties?: Record<string, unknown> };
}

interface ChatRequest {
	messages: Message[];
	tools?: Array<{ function: ToolDefinition }>;
	stream?: boolean;
}

export type ChatModel = Awaited<ReturnType<typeof startChatModel>>;

/** The amount and the reference in a sentence such as "a link of $25 for INV-1001". */
function requestedValues(messages: Message[]): object {
	const words = String(messages.filter(({ role }) => role === 'user').at(-1)?.content ?? '');
	const [reference = 'INV-1001'] = /[A-Z][A-Z0-9]*-\d+/i.exec(words) ?? [];
	const [amount = '25.00'] = /\d+(?:\.\d+)?/.exec(words.replace(reference, '')) ?? [];
	return { amount, reference };
}

/** A tool behind n8n's human review takes its own values one level further down. */
function toolArguments({ parameters }: ToolDefinition, values: object): object {
	const isReviewed = 'toolParameters' in (parameters?.properties ?? {});
	return isReviewed ? { toolParameters: values, hitlParameters: {} } : values;
}

/** A sentence with the link in a tool's result, or with the whole result. */
function answerFrom(toolResult: string): string {
	const [link] = /https?:[^\s"\\]+/.exec(toolResult) ?? [];
	return link === undefined ? `The tool said: ${toolResult}` : `Here is the link: ${link}`;
}

/** On a given port, or on any free one. */
export async function startChatModel(port = 0) {
	const model = {
		/** For the OpenAI node's Base URL. */
		url: '',
		/** All results of tools, the oldest first. */
		toolResults: [] as string[],
		/** The names of the tools that were offered last. */
		offeredTools: [] as string[],
		/** How many more times the model calls the tool after a result. */
		repeatCalls: 0,
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};

	function reply({ messages, tools = [] }: ChatRequest) {
		model.offeredTools = tools.map((tool) => tool.function.name);
		const last = messages.at(-1);
		if (last?.role === 'tool') model.toolResults.push(String(last.content));
		const results = messages.filter(({ role }) => role === 'tool').length;
		const tool = tools[0]?.function;
		if (results > model.repeatCalls || tool === undefined) {
			const content = answerFrom(model.toolResults.at(-1) ?? 'nothing');
			return { finish_reason: 'stop', message: { role: 'assistant', content } };
		}
		const values = JSON.stringify(toolArguments(tool, requestedValues(messages)));
		const call = {
			index: 0,
			id: `call_${randomUUID()}`,
			type: 'function',
			function: { name: tool.name, arguments: values },
		};
		const message = { role: 'assistant', content: null, tool_calls: [call] };
		return { finish_reason: 'tool_calls', message };
	}

	const server = createServer((request, response) => {
		const answer = (body: unknown) => {
			const chat: ChatRequest = Object(body);
			const isStream = chat.stream === true;
			const { message, finish_reason } = reply(chat);
			const completion = JSON.stringify({
				id: 'chat',
				created: 1,
				model: 'loopback',
				object: isStream ? 'chat.completion.chunk' : 'chat.completion',
				choices: [{ index: 0, finish_reason, [isStream ? 'delta' : 'message']: message }],
				usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
			});
			response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
			response.end(isStream ? `data: ${completion}\n\ndata: [DONE]\n\n` : completion);
		};
		json(request)
			.then(answer)
			// An invalid request must not end the process.
			.catch(() => response.writeHead(400).end());
	});
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	model.url = `http://127.0.0.1:${Object(server.address()).port}/v1`;
	return model;
}
