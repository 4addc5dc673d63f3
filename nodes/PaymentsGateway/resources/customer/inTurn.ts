import type { Client } from '../../gateway/client';
import { createTurns } from '../../operation/turns';
import { emailKey } from '../../wire/email';

/**
 * Operations that make or change the same customer, by email or by ID, run one after another: in the
 * items of one run, and in all executions of this process.
 */

const turns = createTurns();

/** Does the task once nobody else is busy with any of the names; there may be no email. */
export async function inTurn<T>(
	{ customerScope }: Client,
	names: ReadonlyArray<string | undefined>,
	task: () => Promise<T>,
): Promise<T> {
	const keys = names
		.filter((name) => name !== undefined)
		.map((name) => JSON.stringify([customerScope, emailKey(name)]));
	return await turns(keys, task);
}
