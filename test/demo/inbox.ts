import { once } from 'node:events';
import { createServer } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

import { escaped, Html } from '../sandbox/html';

/** Where the demo's emails and alerts end up: a mail server and a webhook, with a page to read them. */

export interface Mail {
	to: string;
	subject: string;
	text: string;
}

export interface Inbox {
	readonly url: string;
	/** The port for mails. */
	readonly smtp: number;
	readonly mails: readonly Mail[];
	readonly alerts: readonly string[];
	/** All that it holds, for a later inbox to go on from. */
	kept(): string;
	close(): Promise<void>;
}

interface Received<T> {
	/** In milliseconds since 1970. */
	at: number;
	what: T;
}

interface Content {
	mails: Array<Received<Mail>>;
	alerts: Array<Received<string>>;
}

function decoded(body: string, encoding: string): string {
	if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
	if (encoding !== 'quoted-printable') return body;
	const joined = body.replace(/=\r?\n/g, '').replaceAll('%', '%25');
	return decodeURIComponent(joined.replace(/=([0-9A-F]{2})/gi, '%$1'));
}

/** The words of an email in HTML, such as n8n's approval, each link behind its label. */
function readable(html: string): string {
	const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
	return html
		.replace(/<head[\s\S]*?<\/head>|<!--[\s\S]*?-->/gi, '')
		.replace(/<a\s[^>]*?href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/gi, '$2: $1\n')
		.replace(/<[^>]*>/g, '')
		.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => named[name] ?? '')
		.replace(/\s*\n\s*/g, '\n\n');
}

/** A message of one part, as n8n's Send Email node writes it. */
function readMail(raw: string): Mail {
	const [head = '', ...rest] = raw.split(/\r?\n\r?\n/);
	const headers = new Map(
		head
			.replace(/\r?\n[ \t]+/g, ' ')
			.split(/\r?\n/)
			.map((line) => [line.split(':')[0]?.toLowerCase() ?? '', line.replace(/^[^:]*:\s*/, '')]),
	);
	const subject = (headers.get('subject') ?? '').replace(
		/=\?utf-8\?([bq])\?(.*?)\?=(?:\s+(?==\?))?/gi,
		(_, kind: string, words: string) =>
			decoded(words.replaceAll('_', ' '), /b/i.test(kind) ? 'base64' : 'quoted-printable'),
	);
	const encoding = (headers.get('content-transfer-encoding') ?? '').toLowerCase();
	const text = decoded(rest.join('\n\n'), encoding);
	const isHtml = headers.get('content-type')?.startsWith('text/html') === true;
	return {
		to: headers.get('to') ?? '',
		subject,
		text: (isHtml ? readable(text) : text).trim(),
	};
}

const timeFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'medium' });

function page({ mails, alerts }: Content): string {
	const linked = (text: string) => {
		const link = (url: string) => `<a href="${url}">${url}</a>`;
		return new Html(escaped`${text}`.text.replace(/https?:\/\/[^\s<]+/g, link));
	};
	const list = <T>(received: Array<Received<T>>, markup: (what: T) => Html) => {
		const shown = received.map(
			({ at, what }) =>
				escaped`<article><time>${timeFormat.format(at)}</time>${markup(what)}</article>`,
		);
		return shown.length > 0 ? shown.reverse() : escaped`<p>Nothing yet.</p>`;
	};
	const mail = ({ to, subject, text }: Mail) =>
		escaped`<b>${subject}</b>\nto ${to}\n\n${linked(text)}`;
	return escaped`<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="5">
<meta name="viewport" content="width=device-width"><title>Demo inbox</title><style>
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:44rem;margin:2rem auto;padding:0 1rem}
article{border:1px solid #8885;border-radius:.5rem;padding:.75rem 1rem;margin:.75rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
time{float:right;margin-left:1rem;font-size:.875rem;opacity:.7}
</style><h1>Demo inbox</h1><h2>Emails</h2>${list(mails, mail)}<h2>Alerts to the team</h2>${list(alerts, linked)}</html>`
		.text;
}

function alertOf(body: string): string {
	try {
		return String(Object(JSON.parse(body)).text ?? body);
	} catch {
		return body;
	}
}

interface InboxOptions {
	/** 0: any free one. */
	web: number;
	smtp: number;
	/** What `kept()` has said before. */
	kept?: string | undefined;
}

export async function startInbox({ kept, ...ports }: InboxOptions): Promise<Inbox> {
	const content: Content = kept === undefined ? { mails: [], alerts: [] } : JSON.parse(kept);
	const { mails, alerts } = content;
	const web = createServer((request, response) => {
		void (async () => {
			if (request.method === 'POST') {
				alerts.push({ what: alertOf(await textOf(request)), at: Date.now() });
				response.end('ok');
				return;
			}
			response.setHeader('content-type', 'text/html; charset=utf-8');
			response.end(page(content));
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
	web.listen(ports.web, '127.0.0.1');
	await once(web, 'listening');
	smtp.listen(ports.smtp, '127.0.0.1');
	await once(smtp.server, 'listening');
	return {
		url: `http://127.0.0.1:${Object(web.address()).port}`,
		smtp: Object(smtp.server.address()).port,
		get mails() {
			return mails.map(({ what }) => what);
		},
		get alerts() {
			return alerts.map(({ what }) => what);
		},
		kept: () => JSON.stringify(content),
		close: async () => {
			await new Promise<void>((resolve) => smtp.close(() => resolve()));
			web.closeAllConnections();
			await new Promise<void>((resolve) => web.close(() => resolve()));
		},
	};
}
