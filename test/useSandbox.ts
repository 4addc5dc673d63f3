import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { log } from './engine';
import type { Sandbox, SandboxOptions } from './sandbox';
import { createSandbox, nodeCredentials } from './sandbox';

export interface UsedSandbox {
	readonly sandbox: Sandbox;
	/** What a node needs to reach it, with anything said otherwise. */
	credentials(more?: object): ICredentialDataDecryptedObject;
}

/**
 * A sandbox for all tests of a file: it listens while they run, and each of them begins with an
 * empty one and with an empty log. To be called once, at the top of the file.
 */
export function useSandbox(options: SandboxOptions = {}): UsedSandbox {
	const sandbox = createSandbox(options);
	beforeAll(async () => await sandbox.listen());
	beforeEach(() => {
		sandbox.reset();
		log.clear();
	});
	afterAll(async () => await sandbox.close());
	return { sandbox, credentials: (more = {}) => ({ ...nodeCredentials(sandbox), ...more }) };
}
