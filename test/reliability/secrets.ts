/** The search for secrets in what left, however they are spelled there. */

/** Undoes what JSON and a URL do to a text; written apart from what it checks. */
function plain(text: string): string {
	return text
		.replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
		.replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
		.replace(/\\+(["\\/])/g, '$1');
}

/** Those of the secrets that stand in a value. */
export function foundIn(left: unknown, secrets: readonly string[]): string[] {
	const text = typeof left === 'string' ? left : JSON.stringify(left);
	const texts = [text, plain(text)].map((each) => each.toLowerCase());
	return secrets.filter((secret) => texts.some((each) => each.includes(secret.toLowerCase())));
}
