import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

import type { IDataObject, INodeParameters, INodeType, IVersionedNodeType } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

/** n8n's own HTTP Request node, set up as a user would set it up for this service. */

export const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';

/** Where `npm start` puts n8n. */
const RUNTIME = process.env.N8N_E2E_DIR ?? resolve(__dirname, '../../.n8n/runtime');

export interface HttpRequestNode {
	type: INodeType;
	/** Of the package that it comes from. */
	version: string;
}

/** The newest version of the node. */
export function httpRequestNode(): HttpRequestNode {
	const manifest = join(RUNTIME, 'node_modules/n8n-nodes-base/package.json');
	// Resolved from there: it brings its own dependencies, this package does not have them.
	const load = createRequire(manifest);
	const { version } = load(manifest) as { version: string };
	const loaded = load('./dist/nodes/HttpRequest/HttpRequest.node.js') as {
		HttpRequest: new () => IVersionedNodeType;
	};
	return { type: NodeHelpers.getVersionedNodeType(new loaded.HttpRequest()), version };
}

/** A POST with the package's credential, which n8n lets this node use. */
export function post(url: string, jsonBody: string, options: IDataObject = {}): INodeParameters {
	return {
		...{ method: 'POST', url, sendBody: true, contentType: 'json', specifyBody: 'json', jsonBody },
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'paymentsGatewayApi',
		options: options as INodeParameters,
	};
}

/** All customers, with the fewest requests that its pagination can do with. */
export function allCustomers(gateway: string, pageSize: number): INodeParameters {
	const body = { data: { page: { page: 1, pageSize } } };
	// It knows no paths such as data.page.page, but merges an object into the body.
	const next = { type: 'body', name: 'data', value: '={{ ({ page: { page: $pageCount + 1 } }) }}' };
	const pagination = {
		paginationMode: 'updateAParameterInEachRequest',
		parameters: { parameters: [next] },
		paginationCompleteWhen: 'other',
		completeExpression: `={{ $pageCount * ${pageSize} >= $response.body.page.total }}`,
		limitPagesFetched: false,
		requestInterval: 0,
	};
	return post(`${gateway}/customers`, JSON.stringify(body), { pagination: { pagination } });
}
