/**
 * The error with which any part of the sandbox refuses a request. The server answers with its status
 * and message.
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
