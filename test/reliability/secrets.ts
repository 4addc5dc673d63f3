/** Finds secrets in output, even if they are escaped. */

/** Undoes the escapes of JSON and of URLs. Shares no code with what it checks. */
function unescape(text: string): string {
	return text
		.replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
		.replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
		.replace(/\\+(["\\/])/g, '$1');
}

/** The secrets that occur in the value. */
export function secretsIn(value: unknown, secrets: readonly string[]): string[] {
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	const texts = [text, unescape(text)].map((each) => each.toLowerCase());
	return secrets.filter((secret) => texts.some((each) => each.includes(secret.toLowerCase())));
}
