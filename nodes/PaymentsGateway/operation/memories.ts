import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/**
 * Where n8n keeps what an execution remembers of a node, and of all its nodes: through Retry On Fail
 * and the batches of a loop, until the execution is over. The newest way in which n8n lets an agent
 * call a node gives it neither.
 */
export function memoriesOf(context: Pick<IExecuteFunctions, 'getContext'>): IDataObject[] {
	try {
		return [context.getContext('node'), context.getContext('flow')];
	} catch {
		return [];
	}
}
