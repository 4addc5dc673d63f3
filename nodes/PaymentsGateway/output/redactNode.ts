import type { INode, INodeParameters } from 'n8n-workflow';

import type { Mask } from './mask';
import { createMask } from './mask';

/** The node as an error carries it: what was typed into it stays out of logs and executions. */
export function redactNode(node: INode, mask: Mask = createMask([])): INode {
	const parameters: INodeParameters = mask.typed(node.parameters);
	return { ...node, parameters };
}
