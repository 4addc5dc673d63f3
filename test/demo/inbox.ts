import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { json, text as textOf } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

import { Html, safeHtml } from '../sandbox/html';
import { type Mail, readMail } from './mail';

/**
 * Receives emails and alerts: a mail server and a webhook, with a page to read them. No input may end
 * the demo: unreadable input is refused.
 */

interface Alert {
	/** The name of the workflow that sent it. */
	from: string;
	text: string;
}

type Received<T> = T & { at: Date };

const timeFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'medium' });

function linked(text: string): Html {
	const link = (url: string) => `<a href="${url}">${url}</a>`;
	return new Html(safeHtml`${text}`.text.replace(/https?:\/\/[^\s<]+/g, link));
}

/** Slack decodes these three entities and no others. */
function shownBySlack(text: string): string {
	return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** The text of a Slack message, or the JSON of a message without one, such as one of blocks. */
async function readAlert(request: IncomingMessage): Promise<Alert> {
	const { searchParams } = new URL(request.url ?? '/', 'http://inbox');
	const body = await json(request);
	const { text } = Object(body);
	const shown = typeof text === 'string' ? text : JSON.stringify(body);
	return { from: searchParams.get('from') ?? '', text: shown };
}

function list(received: ReadonlyArray<Received<Alert | Mail>>): Html | Html[] {
	const shown = received.map((each) => {
		const head = 'to' in each && safeHtml`<b>${each.subject}</b>\nto ${each.to}\n\n`;
		const text = 'to' in each ? each.text : shownBySlack(each.text);
		return safeHtml`<article>
<small><b>${each.from}</b><time>${timeFormat.format(each.at)}</time></small>${head}${linked(text)}</article>`;
	});
	return shown.length > 0 ? shown.reverse() : safeHtml`<p>Nothing yet.</p>`;
}

function page(mails: Array<Received<Mail>>, alerts: Array<Received<Alert>>): string {
	return safeHtml`<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="5">
<meta name="viewport" content="width=device-width"><title>Demo inbox</title><style>
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:44rem;margin:2rem auto;padding:0 1rem}
article{border:1px solid #8885;border-radius:.5rem;padding:.75rem 1rem;margin:.75rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
small{display:flex;justify-content:space-between;gap:1rem;opacity:.75;margin:-1.5rem 0 .25rem}
</style><h1>Demo inbox</h1><h2>Emails</h2>${list(mails)}
<h2>Alerts to the team</h2>${list(alerts)}</html>`.text;
}

export type Inbox = Awaited<ReturnType<typeof startInbox>>;

/** The page is at the port and the mail server at the next one; with 0, at any free ones. */
export async function startInbox(port: number) {
	const mails: Array<Received<Mail>> = [];
	const alerts: Array<Received<Alert>> = [];
	const web = createServer((request, response) => {
		if (request.method !== 'POST') {
			response.setHeader('content-type', 'text/html; charset=utf-8');
			response.end(page(mails, alerts));
			return;
		}
		readAlert(request)
			.then((alert) => {
				alerts.push({ ...alert, at: new Date() });
				response.end('ok');
			})
			.catch(() => response.writeHead(400).end());
	});
	const smtp = new SMTPServer({
		disabledCommands: ['STARTTLS'],
		onAuth: (_auth, _session, done) => done(null, { user: 'demo' }),
		onData(stream, _session, done) {
			void textOf(stream)
				.then((raw) => {
					mails.push({ ...readMail(raw), at: new Date() });
					done();
				})
				.catch(done);
		},
	});
	// A broken connection is an error of this server; without a listener it would end the process.
	smtp.on('error', () => undefined);
	web.listen(port, '127.0.0.1');
	await once(web, 'listening');
	smtp.listen(port ? port + 1 : 0, '127.0.0.1');
	await once(smtp.server, 'listening');
	return {
		url: `http://127.0.0.1:${Object(web.address()).port}`,
		/** The mail server's port. */
		smtp: Number(Object(smtp.server.address()).port),
		mails: mails as readonly Mail[],
		get alerts(): readonly string[] {
			return alerts.map(({ text }) => text);
		},
		close: async () => {
			await new Promise<void>((resolve) => smtp.close(() => resolve()));
			web.closeAllConnections();
			await new Promise<void>((resolve) => web.close(() => resolve()));
		},
	};
}
