/**
 * The error by which any part of the sandbox turns a request down. The server answers it with its
 * status and words.
 */

export class Refusal extends Error {
	constructor(
		readonly status: number,
		message: string,
		readonly headers: Readonly<Record<string, string>> = {},
	) {
		super(message);
	}
}
