import type { INodeParameters } from 'n8n-workflow';

import type { Endpoint } from '../nodes/PaymentsGateway/wire';
import type { RunOptions, RunResult } from './engine';
import { engine } from './engine';
import type { RequestBody, SandboxOptions } from './sandbox';
import type { SandboxFixture } from './useSandbox';
import { useSandbox } from './useSandbox';

interface UsedNode extends SandboxFixture {
	/** Runs the node once; `options` can bring items, settings or other credentials. */
	run(parameters?: INodeParameters, options?: Partial<RunOptions>): Promise<RunResult>;
	/** The `data` of the requests to an endpoint, in the order of arrival. */
	sent<E extends Endpoint>(endpoint: E): Array<RequestBody<E>['data']>;
}

interface UseNodeOptions extends SandboxOptions {
	/** Fields of the credential that differ in all runs of the file. */
	credentials?: object;
}

/**
 * The node on the real engine, against a sandbox of its own (see `useSandbox`). `fixed` are the
 * parameters that all runs of the file have in common, such as resource and operation. Math.random is
 * 0, so the backoff (full jitter) waits 0 ms.
 */
export function useNode(
	fixed: INodeParameters = {},
	{ credentials: own, ...options }: UseNodeOptions = {},
): UsedNode {
	const { sandbox, credentials: credentialsOf, advancePerformanceNow } = useSandbox(options);
	beforeAll(() => {
		jest.spyOn(Math, 'random').mockReturnValue(0);
	});
	const credentials = (more = {}) => credentialsOf({ ...own, ...more });
	return {
		sandbox,
		credentials,
		advancePerformanceNow,
		run: async (parameters = {}, given = {}) =>
			await engine.run({
				credentials: credentials(),
				parameters: { ...fixed, ...parameters },
				...given,
			}),
		sent: (endpoint) => sandbox.requestsTo(endpoint).map(({ body }) => body.data),
	};
}
