import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { log } from './engine';
import type { Sandbox, SandboxOptions } from './sandbox';
import { createSandbox, nodeCredentials } from './sandbox';

export interface UsedSandbox {
	readonly sandbox: Sandbox;
	/** What a node needs to reach it, with anything said otherwise. */
	credentials(more?: object): ICredentialDataDecryptedObject;
	/** Lets so many milliseconds pass for the node's own clock, by which its limiters forget. */
	later(ms: number): void;
}

const FORGOTTEN_MS = 601_000;
const realNow = performance.now.bind(performance);

/**
 * A sandbox for all tests of a file: it listens while they run, and each of them begins with an
 * empty one and with an empty log. To be called once, at the top of the file.
 */
export function useSandbox(options: SandboxOptions = {}): UsedSandbox {
	const sandbox = createSandbox(options);
	let passed = 0;
	beforeAll(async () => await sandbox.listen());
	beforeEach(() => {
		sandbox.reset();
		log.clear();
		// What one test has taught the node about the gateway's limits is forgotten in the next one.
		passed += FORGOTTEN_MS;
		jest.spyOn(performance, 'now').mockImplementation(() => realNow() + passed);
	});
	afterAll(async () => await sandbox.close());
	return {
		sandbox,
		credentials: (more = {}) => ({ ...nodeCredentials(sandbox), ...more }),
		later: (ms) => {
			passed += ms;
		},
	};
}
