import type { IExecuteFunctions, INode } from 'n8n-workflow';

import type { Work } from '../../../nodes/PaymentsGateway/operation/operation';
import { guardConsent } from '../../../nodes/PaymentsGateway/resources/payment/guards';
import { standIn } from '../../engine/instance';

/** By which signs a call counts as an agent's: each n8n gives some of them, and one is enough. */

type Signs = Partial<
	Pick<IExecuteFunctions, 'isToolExecution' | 'getExecuteData' | 'getMode'> & { type: string }
>;

function guard({ type = 'package.paymentsGateway', ...signs }: Signs, options = {}): void {
	const parameters = { customerConsent: true, options };
	const context = standIn<IExecuteFunctions>('context', {
		getNode: () => standIn<INode>('node', { type, parameters }),
		getExecuteData: () => ({ node: {} as never, data: {}, source: null }),
		getMode: () => 'manual',
		...signs,
	});
	guardConsent(standIn<Work>('work', { context, complain: (words) => new Error(words) as never }));
}

const signs: Array<[string, Signs]> = [
	['it says so', { isToolExecution: () => true }],
	['the type of the node', { type: 'package.paymentsGatewayTool' }],
	[
		"the engine's own run of it",
		{
			getExecuteData: () => ({
				...{ node: {} as never, data: {}, source: null },
				metadata: { preserveSourceOverwrite: true },
			}),
		},
	],
	['the mode', { getMode: () => 'internal' }],
];

test.each(signs)('an agent may not charge: %s', (_, given) => {
	expect(() => guard(given)).toThrow('an AI agent called');
	expect(() => guard(given, { allowAgentCharges: true })).not.toThrow();
	for (const no of [false, 'true', '={{ true }}']) {
		expect(() => guard(given, { allowAgentCharges: no })).toThrow('an AI agent called');
	}
});

test.each<[string, Signs]>([
	['nothing says more', {}],
	['it says that it is none', { isToolExecution: () => false }],
	['a type that only begins so', { type: 'package.ToolBox' }],
])('a workflow may: %s', (_, given) => {
	expect(() => guard(given)).not.toThrow();
});
