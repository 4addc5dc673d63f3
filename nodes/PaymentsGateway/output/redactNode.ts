import type { INode, INodeParameters } from 'n8n-workflow';

import type { Mask } from './mask';

/**
 * The node as an error carries it, with its parameters masked: n8n logs errors and stores them with
 * the execution, together with the node's parameters.
 */

export function redactNode(node: INode, mask: Mask): INode {
	const parameters: INodeParameters = mask.value(node.parameters);
	return { ...node, parameters };
}
