/** Reads the emails that n8n's Send Email node writes: messages of one part, in text or in HTML. */

export interface Mail {
	/** The sender's name, which is a workflow's in the demo. */
	from: string;
	to: string;
	subject: string;
	text: string;
}

function decoded(body: string, encoding: string): string {
	if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
	if (encoding !== 'quoted-printable') return body;
	const joined = body.replace(/=\r?\n/g, '').replaceAll('%', '%25');
	return decodeURIComponent(joined.replace(/=([0-9A-F]{2})/gi, '%$1'));
}

/** The text of an HTML email, such as n8n's approval: links after their labels, table rows as lines. */
function readable(html: string): string {
	const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
	return html
		.replace(/<head[\s\S]*?<\/head>|<!--[\s\S]*?-->/gi, '')
		.replace(/<a\s[^>]*?href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/gi, '$2: $1\n')
		.replace(/<\/t[dh]>(?=\s*<t[dh])/gi, ' · ')
		.replace(/<\/tr>/gi, '\n')
		.replace(/<[^>]*>/g, '')
		.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => named[name] ?? '')
		.replace(/\s*\n\s*/g, '\n\n');
}

export function readMail(raw: string): Mail {
	const [head = '', ...rest] = raw.split(/\r?\n\r?\n/);
	const headers = new Map(
		head
			.replace(/\r?\n[ \t]+/g, ' ')
			.split(/\r?\n/)
			.map((line) => [line.split(':')[0]?.toLowerCase() ?? '', line.replace(/^[^:]*:\s*/, '')]),
	);
	const header = (name: string) =>
		(headers.get(name) ?? '').replace(
			/=\?utf-8\?([bq])\?(.*?)\?=(?:\s+(?==\?))?/gi,
			(_, kind: string, words: string) =>
				decoded(words.replaceAll('_', ' '), /b/i.test(kind) ? 'base64' : 'quoted-printable'),
		);
	const text = decoded(rest.join('\n\n'), header('content-transfer-encoding').toLowerCase());
	const isHtml = header('content-type').startsWith('text/html');
	return {
		from: header('from').replace(/\s*<.*>$|"/g, ''),
		to: header('to'),
		subject: header('subject'),
		text: (isHtml ? readable(text) : text).trim(),
	};
}
