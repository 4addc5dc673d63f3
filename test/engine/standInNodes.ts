import type {
	EngineRequest,
	EngineResponse,
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

/**
 * Stand-ins for nodes of n8n that a workflow has around the node under test: a source of items,
 * a loop, two kinds of AI agent, an HTTP Request. Each does only what the tests need.
 */

export const ITEMS = 'test.items';
export const LOOP = 'test.loopOverItems';
export const TOOLS_AGENT = 'test.toolsAgent';
export const REQUESTING_AGENT = 'test.requestingAgent';
/** Needs the real name: n8n lets only this node use any credential. */
export const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';

const { Main, AiTool } = NodeConnectionTypes;

export function standInType(
	name: string,
	description: Partial<INodeTypeDescription>,
	execute?: NonNullable<INodeType['execute']>,
): INodeType {
	return {
		description: {
			displayName: name,
			name,
			description: '',
			defaults: { name },
			group: ['transform'],
			version: 1,
			inputs: [Main],
			outputs: [Main],
			properties: [],
			...description,
		},
		...(execute && { execute }),
	};
}

/** A stand-in as a node of a workflow. */
export function standInNode(type: string, name: string, parameters: INodeParameters = {}): INode {
	return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters };
}

const jsonField = (name: string) => ({
	displayName: name,
	name,
	type: 'json' as const,
	default: '',
});

/** Like Loop Over Items: output 0 is "done", output 1 the next batch; its context has the rest. */
async function loopOverItems(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const context = this.getContext('node') as Partial<Record<string, INodeExecutionData[]>>;
	const { waiting = this.getInputData(), done = [] } = context;
	if (context.waiting !== undefined) done.push(...this.getInputData());
	Object.assign(context, { waiting, done });
	const batch = waiting.splice(0, this.getNodeParameter('batchSize', 0) as number);
	return batch.length === 0 ? [done, []] : [[], batch];
}

function toolCall(node: IExecuteFunctions) {
	return {
		node: node.getNodeParameter('tool', 0) as string,
		args: JSON.parse(node.getNodeParameter('args', 0) as string) as IDataObject,
	};
}

/** The older agent: fetches its tools as LangChain objects and calls one itself. */
async function toolsAgent(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const [tool] = (await this.getInputConnectionData(AiTool, 0)) as Array<{
		invoke: (args: IDataObject) => Promise<string>;
	}>;
	if (tool === undefined) throw new Error('No tool is connected');
	return [[{ json: { answer: await tool.invoke(toolCall(this).args) } }]];
}

/** The newer agent: asks the engine to run the tool's node, and is run again with its output. */
async function requestingAgent(
	this: IExecuteFunctions,
	response?: EngineResponse,
): Promise<INodeExecutionData[][] | EngineRequest> {
	const [result] = response?.actionResponses ?? [];
	if (result !== undefined) {
		const items = result.data.data?.[AiTool]?.[0] ?? [];
		return [[{ json: { answer: JSON.stringify(items.map((item) => item.json)) } }]];
	}
	const { node, args } = toolCall(this);
	return {
		actions: [
			{
				actionType: 'ExecutionNodeAction',
				id: 'call-1',
				nodeName: node,
				input: args,
				type: AiTool,
				metadata: {},
			},
		],
		metadata: {},
	};
}

const agentForm = { inputs: [Main, AiTool], properties: [jsonField('tool'), jsonField('args')] };

async function passThrough(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	return [this.getInputData()];
}

const LOOP_FORM: Partial<INodeTypeDescription> = {
	outputs: [Main, Main],
	properties: [{ displayName: 'Size', name: 'batchSize', type: 'number', default: 1 }],
};

export const standInNodes: Readonly<Record<string, INodeType | undefined>> = {
	[ITEMS]: standInType(ITEMS, {}, passThrough),
	[HTTP_REQUEST]: standInType(HTTP_REQUEST, {}),
	[LOOP]: standInType(LOOP, LOOP_FORM, loopOverItems),
	[TOOLS_AGENT]: standInType(TOOLS_AGENT, agentForm, toolsAgent),
	[REQUESTING_AGENT]: standInType(
		REQUESTING_AGENT,
		agentForm,
		requestingAgent as unknown as NonNullable<INodeType['execute']>,
	),
};
