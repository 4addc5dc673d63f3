import { once } from 'node:events';
import { createServer } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

import { escaped, Html } from '../sandbox/html';
import { type Mail, readMail } from './mail';

/**
 * Where the demo's emails and alerts end up: a mail server and a webhook, with a page to read them.
 * It is up before n8n is installed, and so also says that a demo is under way.
 */

type State = 'starting' | 'running';

interface Received<T> {
	/** In milliseconds since 1970. */
	at: number;
	what: T;
}

interface Alert {
	/** The name of the workflow that sent it. */
	from: string;
	text: string;
}

interface Content {
	mails: Array<Received<Mail>>;
	alerts: Array<Received<Alert>>;
}

const timeFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'medium' });

function page({ mails, alerts }: Content): string {
	const linked = (text: string) => {
		const link = (url: string) => `<a href="${url}">${url}</a>`;
		return new Html(escaped`${text}`.text.replace(/https?:\/\/[^\s<]+/g, link));
	};
	const list = <T extends { from: string }>(
		received: Array<Received<T>>,
		body: (what: T) => Html,
	) => {
		const shown = received.map(
			({ at, what }) => escaped`<article>
<small><b>${what.from}</b><time>${timeFormat.format(at)}</time></small>${body(what)}</article>`,
		);
		return shown.length > 0 ? shown.reverse() : escaped`<p>Nothing yet.</p>`;
	};
	const mail = ({ to, subject, text }: Mail) =>
		escaped`<b>${subject}</b>\nto ${to}\n\n${linked(text)}`;
	return escaped`<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="5">
<meta name="viewport" content="width=device-width"><title>Demo inbox</title><style>
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:44rem;margin:2rem auto;padding:0 1rem}
article{border:1px solid #8885;border-radius:.5rem;padding:.75rem 1rem;margin:.75rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
small{display:flex;justify-content:space-between;gap:1rem;opacity:.75;margin:-1.5rem 0 .25rem}
</style><h1>Demo inbox</h1><h2>Emails</h2>${list(mails, mail)}
<h2>Alerts to the team</h2>${list(alerts, ({ text }) => linked(text))}</html>`.text;
}

function alertOf(body: string): string {
	try {
		return String(Object(JSON.parse(body)).text ?? body);
	} catch {
		return body;
	}
}

/** What the demo whose inbox listens at this port is at. */
export async function stateAt(port: number): Promise<string | undefined> {
	const signal = AbortSignal.timeout(2_000);
	const answer = await fetch(`http://127.0.0.1:${port}/state`, { signal }).catch(() => undefined);
	const state = (await answer?.text().catch(() => '')) ?? '';
	return ['starting', 'running'].includes(state) ? state : undefined;
}

export type Inbox = Awaited<ReturnType<typeof startInbox>>;

/** At the ports that are given, 0 for any free one; with what `kept()` has said before. */
export async function startInbox(options: { web: number; smtp: number; kept?: string }) {
	const content: Content =
		options.kept === undefined ? { mails: [], alerts: [] } : JSON.parse(options.kept);
	const { mails, alerts } = content;
	let state: State = 'starting';
	const web = createServer((request, response) => {
		void (async () => {
			const { pathname, searchParams } = new URL(request.url ?? '/', 'http://inbox');
			if (request.method === 'POST') {
				const text = alertOf(await textOf(request));
				alerts.push({ what: { from: searchParams.get('from') ?? '', text }, at: Date.now() });
				response.end('ok');
				return;
			}
			response.setHeader('content-type', 'text/html; charset=utf-8');
			response.end(pathname === '/state' ? state : page(content));
		})();
	});
	const smtp = new SMTPServer({
		authOptional: true,
		disabledCommands: ['STARTTLS'],
		onAuth: (_auth, _session, done) => done(null, { user: 'demo' }),
		onData(stream, _session, done) {
			void textOf(stream)
				.then((raw) => {
					mails.push({ what: readMail(raw), at: Date.now() });
					done();
				})
				.catch(done);
		},
	});
	web.listen(options.web, '127.0.0.1');
	await once(web, 'listening');
	smtp.listen(options.smtp, '127.0.0.1');
	await once(smtp.server, 'listening');
	return {
		url: `http://127.0.0.1:${Object(web.address()).port}`,
		/** The port for mails. */
		smtp: Number(Object(smtp.server.address()).port),
		/** The demo is ready. */
		isRunning: () => (state = 'running'),
		get mails(): readonly Mail[] {
			return mails.map(({ what }) => what);
		},
		get alerts(): readonly string[] {
			return alerts.map(({ what }) => what.text);
		},
		/** All that it holds, for a later inbox to go on from. */
		kept: () => JSON.stringify(content),
		close: async () => {
			await new Promise<void>((resolve) => smtp.close(() => resolve()));
			web.closeAllConnections();
			await new Promise<void>((resolve) => web.close(() => resolve()));
		},
	};
}
