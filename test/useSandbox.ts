import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { LONGEST_PAUSE_MS } from '../nodes/PaymentsGateway/gateway/limiter';
import { log } from './engine';
import type { Sandbox, SandboxOptions } from './sandbox';
import { createSandbox, nodeCredentials } from './sandbox';

export interface SandboxFixture {
	readonly sandbox: Sandbox;
	/** The node's credential for this sandbox; `more` overrides fields. */
	credentials(more?: object): ICredentialDataDecryptedObject;
	/**
	 * Moves `performance.now()` on: for the node's limiters, caches and locks, and for the sandbox's
	 * `eventLag`, `limits` and logged times. `sandbox.clock` and real timers do not move.
	 */
	advancePerformanceNow(ms: number): void;
}

const FORGOTTEN_MS = LONGEST_PAUSE_MS + 1_000;
const realNow = performance.now.bind(performance);

/**
 * A sandbox for all tests of a file: it listens while they run. Before each test the sandbox is reset
 * and n8n's log is cleared. Call it once, at the top of the file.
 */
export function useSandbox(options: SandboxOptions = {}): SandboxFixture {
	const sandbox = createSandbox(options);
	let passed = 0;
	beforeAll(async () => await sandbox.listen());
	beforeEach(() => {
		sandbox.reset();
		log.clear();
		// Past every limiter's memory, so that no test inherits what an earlier one learned.
		passed += FORGOTTEN_MS;
		jest.spyOn(performance, 'now').mockImplementation(() => realNow() + passed);
	});
	afterAll(async () => await sandbox.close());
	return {
		sandbox,
		credentials: (more = {}) => ({ ...nodeCredentials(sandbox), ...more }),
		advancePerformanceNow: (ms) => {
			passed += ms;
		},
	};
}
