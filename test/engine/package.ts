import { join, sep } from 'node:path';

import { PackageDirectoryLoader } from 'n8n-core';
import type {
	ICredentialType,
	INode,
	INodeParameters,
	INodeType,
	INodeTypeDescription,
	INodeTypes,
} from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';
import { NodeConnectionTypes, NodeHelpers } from 'n8n-workflow';

import { standIn } from './instance';
import { standInNodes } from './standInNodes';

/**
 * Loads a built package with n8n's loader and serves as the registry of node types. Stand-ins replace
 * the nodes of n8n itself.
 */

/** Nodes of other packages by full name. A neighbour overrides the stand-in of the same name. */
export type Neighbours = Readonly<Record<string, INodeType | undefined>>;

/** Loads the package as n8n does when it starts: without memory of an earlier load. */
export async function loadPackage(
	directory: string,
	neighbours: Neighbours,
): Promise<PackageTypes> {
	return await withFreshModules(directory, async () => {
		const loader = new PackageDirectoryLoader(directory);
		await loader.loadAll();
		return new PackageTypes(loader, neighbours);
	});
}

/** Like `loadInNewProcess`, but for an asynchronous load, and also outside of jest (`npm run bench`). */
async function withFreshModules<T>(directory: string, load: () => Promise<T>): Promise<T> {
	if (typeof jest === 'undefined') {
		for (const file of Object.keys(require.cache)) {
			if (file.startsWith(join(directory, 'dist', sep))) delete require.cache[file];
		}
		return await load();
	}
	// A second n8n-workflow would break every `instanceof` of its error classes.
	jest.doMock('n8n-workflow', () => n8nWorkflow);
	try {
		let loading: Promise<T> | undefined;
		// The loader requires all files before its first await, so other loads cannot get in between.
		jest.isolateModules(() => (loading = load()));
		return await (loading as Promise<T>);
	} finally {
		jest.dontMock('n8n-workflow');
	}
}

/** n8n's registry of node types, for one load of the package. */
export class PackageTypes {
	/** Assumes that package.json lists the action node first, then the trigger. */
	readonly action: string;
	readonly trigger: string;
	readonly credentialName: string;

	constructor(
		private readonly loader: PackageDirectoryLoader,
		private readonly neighbours: Neighbours,
	) {
		[this.action = '', this.trigger = ''] = Object.keys(loader.nodeTypes);
		[this.credentialName = ''] = Object.keys(loader.credentialTypes);
	}

	/** By its full name, or by its name within the package. */
	node(name: string): INodeType {
		const fromOtherPackage = this.neighbours[name] ?? standInNodes[name];
		if (fromOtherPackage !== undefined) return fromOtherPackage;
		const short = name.slice(name.indexOf('.') + 1);
		if (short.endsWith('Tool')) return toolVariant(this.node(short.slice(0, -'Tool'.length)));
		return NodeHelpers.getVersionedNodeType(this.loader.getNode(short).type);
	}

	credential(name = this.credentialName): ICredentialType {
		return this.loader.getCredential(name).type;
	}

	/** A node as n8n stores it in a workflow. */
	instance(
		name: string,
		parameters: INodeParameters,
		credentialType: string,
		settings: Partial<INode> = {},
	): INode {
		const { description } = this.node(name);
		return {
			id: `node-${description.name}`,
			name: description.displayName,
			type: name.includes('.') ? name : `${this.loader.packageName}.${name}`,
			typeVersion: description.defaultVersion ?? [description.version].flat().at(-1) ?? 1,
			position: [200, 0],
			// n8n fills in defaults and drops what is hidden, in place.
			parameters: structuredClone(parameters),
			credentials: { [credentialType]: { id: 'credential-1', name: 'Test credential' } },
			...settings,
		};
	}

	registry(): INodeTypes {
		return standIn<INodeTypes>('nodeTypes', {
			getByNameAndVersion: (name) => this.node(name),
			getKnownTypes: () => ({}),
		});
	}
}

/** Builds the "…Tool" type as n8n's cli does, without its extra form fields. */
function toolVariant(type: INodeType): INodeType {
	const { usableAsTool, ...description } = type.description;
	if (!usableAsTool) throw new Error(`Node "${description.name}" cannot be used as a tool`);
	const tool: INodeTypeDescription = {
		...description,
		name: `${description.name}Tool`,
		displayName: `${description.displayName} Tool`,
		inputs: [],
		outputs: [NodeConnectionTypes.AiTool],
	};
	return Object.create(type, { description: { value: tool } }) as INodeType;
}
