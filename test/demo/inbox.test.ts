import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { startChatModel } from '../e2e/chatModel';
import { until } from '../e2e/until';
import type { Inbox } from './inbox';
import { startInbox } from './inbox';

/** No input ends the demo's servers: an error in one of them would end `npm start`. */

let inbox: Inbox;
beforeAll(async () => (inbox = await startInbox(0)));
afterAll(async () => await inbox.close());

/** Returns the status of the answer. Sends the path unchanged, unlike fetch. */
async function post(url: string, path: string, body: string): Promise<number> {
	const sent = request(url, { path, method: 'POST' }).end(body);
	const [answer] = await once(sent, 'response');
	answer.resume();
	return answer.statusCode;
}

async function page(): Promise<string> {
	const response = await fetch(inbox.url);
	expect(response.status).toBe(200);
	return await response.text();
}

test('an alert without a text is shown as JSON', async () => {
	for (const body of ['{"blocks":[]}', '{"text":5}', '{"text":null}', 'null', '[]', '7', '"a"']) {
		expect([body, await post(inbox.url, '/?from=Odd', body)]).toEqual([body, 200]);
		expect(inbox.alerts.at(-1)).toBe(body);
	}
	expect(await page()).toContain('{&quot;blocks&quot;:[]}');
});

test.each([
	['/', ''],
	['/', 'no JSON'],
	['//', '{"text":"An invalid address"}'],
])('a POST to %s of %j is refused, and the page still opens', async (path, body) => {
	const before = inbox.alerts.length;
	expect(await post(inbox.url, path, body)).toBe(400);
	expect(inbox.alerts).toHaveLength(before);
	await page();
});

test('an email whose connection breaks off is not received, and the next one is', async () => {
	const send = async (...lines: string[]) => {
		const socket = connect(inbox.smtp, '127.0.0.1');
		const login = `AUTH PLAIN ${Buffer.from('\0demo\0demo').toString('base64')}`;
		const envelope = ['EHLO test', login, 'MAIL FROM:<a@example.com>', 'RCPT TO:<b@example.com>'];
		for (const line of [...envelope, 'DATA', ...lines]) {
			await once(socket, 'data');
			socket.write(`${line}\r\n`);
		}
		return socket;
	};
	const broken = await send();
	await once(broken, 'data');
	broken.resetAndDestroy();
	// The server needs a moment to notice.
	await sleep(100);
	expect(inbox.mails).toEqual([]);
	const whole = await send('Subject: Whole\r\n\r\nText\r\n.');
	await until('the email', () => inbox.mails.length === 1);
	whole.destroy();
	expect(inbox.mails).toMatchObject([{ subject: 'Whole', text: 'Text' }]);
});

test('the chat model refuses invalid requests', async () => {
	const model = await startChatModel();
	for (const body of ['', 'no JSON', '{}', 'null', '{"messages":[null]}']) {
		expect([body, await post(model.url, '/v1/chat/completions', body)]).toEqual([body, 400]);
	}
	await model.close();
});
