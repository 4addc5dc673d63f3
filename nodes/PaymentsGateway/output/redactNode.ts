import type { INode } from 'n8n-workflow';

import type { Mask } from './mask';

/**
 * The node as an error carries it, with its parameters masked: n8n logs errors and stores them with
 * the execution, together with the node's parameters.
 */

export function redactNode(node: INode, mask: Mask): INode {
	return { ...node, parameters: mask.value(node.parameters) };
}
