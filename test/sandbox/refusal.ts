/** A request that the service turns down: the status and the words of its answer. */
export class Refusal extends Error {
	constructor(
		readonly status: number,
		message: string,
		readonly headers: Readonly<Record<string, string>> = {},
	) {
		super(message);
	}
}
