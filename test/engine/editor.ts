import { LoadOptionsContext, RoutingNode } from 'n8n-core';
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	INodeCredentialTestResult,
	INodeListSearchResult,
	INodeParameters,
	INodeTypes,
	IRequestOptions,
} from 'n8n-workflow';

import type { CredentialStore } from './instance';
import { additionalData, contextOf, standIn, workflowOf } from './instance';
import { HTTP_REQUEST, standInNode, standInType } from './standInNodes';

/**
 * What n8n's editor and its HTTP Request node do with this package: open a picker, test a
 * credential, send a request with a predefined credential. n8n-core's own classes do the work; what
 * n8n's cli adds is here.
 */

interface SearchOptions {
	credentials: ICredentialDataDecryptedObject;
	method: string;
	/** The parameters that the form holds at the moment. */
	parameters: INodeParameters;
	/** Where in the form the picker is: `parameters.customer.customerId`. */
	path?: string;
	filter?: string;
	paginationToken?: string;
}

/** Opens a picker of the form, as the editor does. */
export async function search(
	store: CredentialStore,
	{ method, parameters, path = '', filter, paginationToken }: SearchOptions,
): Promise<INodeListSearchResult> {
	const { types } = store;
	const find = types.node(types.action).methods?.listSearch?.[method];
	if (find === undefined) throw new Error(`There is no list search "${method}"`);
	const node = types.instance(types.action, parameters, store.type, { name: 'Temp-Node' });
	const workflow = workflowOf(types, [node]);
	const additional = additionalData(store, { currentNodeParameters: structuredClone(parameters) });
	const context = new LoadOptionsContext(workflow, node, additional, path);
	return await find.call(context as ILoadOptionsFunctions, filter, paginationToken);
}

/**
 * The Test button of a credential, as n8n's CredentialsTester does it: a temporary node sends the
 * request by its routing, and the rules judge the answer.
 */
export async function testCredential(store: CredentialStore): Promise<INodeCredentialTestResult> {
	const { test } = store.types.credential();
	if (test === undefined) throw new Error(`"${store.type}" has no test`);
	const { request, rules = [] } = test;
	const details = { id: 'temp', name: 'Temp-Node' };
	const field = { displayName: 'Temp', name: 'temp', type: 'string', default: '' } as const;
	const type = standInType('n8n-nodes-base.noOp', {
		credentials: [{ name: store.type, required: true }],
		properties: [{ ...field, routing: { request } }],
	});
	const node = {
		...standInNode(type.description.name, details.name),
		credentials: { [store.type]: details },
	};
	const nodeTypes = standIn<INodeTypes>('nodeTypes', { getByNameAndVersion: () => type });
	const workflow = workflowOf(store.types, [node], { nodeTypes });
	const context = contextOf(store, workflow, node, 'internal');
	const credential = { ...details, type: store.type, data: store.decrypted() };
	const failed = (message: string) => ({ status: 'Error' as const, message });
	try {
		const answer = await new RoutingNode(context, type, credential).runNode();
		const body = answer?.[0]?.[0]?.json;
		const broken = rules.find(
			({ type, properties }) =>
				type === 'responseSuccessBody' && body?.[properties.key] === properties.value,
		);
		if (broken !== undefined) return failed(broken.properties.message);
		return { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		const { message, cause } = error as Error & {
			cause?: { code?: string; response?: { status: number; statusText?: string } };
		};
		const response = cause?.response;
		if (response === undefined) return failed(cause?.code ?? message);
		const known = rules.find(
			({ type, properties }) => type === 'responseCode' && properties.value === response.status,
		);
		if (known !== undefined) return failed(known.properties.message);
		return failed(response.statusText || `Received HTTP status code: ${response.status}`);
	}
}

/** Calls the credential's own `authenticate` with this request object, as n8n does. */
export async function authenticate(
	store: CredentialStore,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	return await store.authenticate(store.decrypted(), request);
}

/** The two ways in which n8n's HTTP Request node and other nodes use a predefined credential. */
export type RequestHelper = 'requestWithAuthentication' | 'httpRequestWithAuthentication';

/** Sends a request as n8n's HTTP Request node does with a predefined credential. */
export async function requestAsHttpRequestNode(
	store: CredentialStore,
	helper: RequestHelper,
	request: IRequestOptions | IHttpRequestOptions,
): Promise<unknown> {
	const node = store.types.instance(HTTP_REQUEST, {}, store.type, { name: 'HTTP Request' });
	const workflow = workflowOf(store.types, [node], { id: 'workflow-1' });
	const context = contextOf(store, workflow, node, 'trigger');
	const { helpers } = context;
	const send = helpers[helper] as typeof helpers.requestWithAuthentication;
	return await send.call(context as IAllExecuteFunctions, store.type, request as IRequestOptions);
}
