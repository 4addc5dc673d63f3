import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/**
 * What n8n lets a node remember for as long as an execution lasts, through Retry On Fail and the
 * batches of a loop: one object for this node, and one for the whole execution. There are none
 * where an agent outside of a workflow calls the node.
 */
export function memoriesOf(context: Pick<IExecuteFunctions, 'getContext'>): IDataObject[] {
	try {
		return [context.getContext('node'), context.getContext('flow')];
	} catch {
		return [];
	}
}
