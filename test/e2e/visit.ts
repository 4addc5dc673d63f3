/** Clicks a link in an email. n8n ignores clients that look like a robot. */
export async function visit(url: string): Promise<string> {
	const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x64) Firefox/140.0' };
	return await (await fetch(url, { headers })).text();
}
