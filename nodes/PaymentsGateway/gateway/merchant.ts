import { createHash } from 'crypto';
import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';

import { endpoints } from '../wire';
import { textOf } from '../wire/json';

/**
 * The merchant that a credential names: where its service is, and what tells it from other
 * merchants. Whether the credential is complete is checked by the credential itself, when it signs
 * a request.
 */

export const CREDENTIAL = 'paymentsGatewayApi';

export type Context = IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions;

export interface Merchant {
	baseUrl: string;
	environment: 'sandbox' | 'production';
	/** Tells merchants at one address apart: a hash of the group or, without one, of the header token. */
	scope: string;
	/** The same for customers: theirs is the merchant of the header token alone. Never stored. */
	customerScope: string;
	/** What must never be shown. */
	secrets: readonly string[];
	/** What a request is signed with; n8n would take that of the first item otherwise. */
	decrypted: ICredentialsDecrypted;
}

/** An address in one spelling. Where it is none, the credential refuses it. */
function addressOf(typed: string): string {
	// Not by URL.canParse: once it is optimised, Node 20's takes no address with an ü in it.
	try {
		return new URL(typed).href.replace(/\/+$/, '');
	} catch {
		return typed;
	}
}

/** Stored with the state of triggers and with attempts to charge: it must stay the same. */
function scopeOf(baseUrl: string, merchant: string): string {
	return createHash('sha256')
		.update(JSON.stringify([baseUrl, merchant]))
		.digest('hex')
		.slice(0, 16);
}

export function merchantOf(data: ICredentialDataDecryptedObject): Merchant {
	const baseUrl = addressOf(textOf(data.baseUrl));
	const secrets = Object.entries(data)
		.filter(([name]) => name.endsWith('Token'))
		.map(([, value]) => textOf(value));
	// By the name that the endpoint has for it: no file but the credential names a token.
	const customersToken = textOf(data[`${endpoints.customers.token}Token`]);
	const groupId = textOf(data.groupId);
	return {
		baseUrl,
		// A charge asks for a switch in production, so what is not plainly the sandbox is production.
		environment: data.environment === 'sandbox' ? 'sandbox' : 'production',
		scope: scopeOf(baseUrl, groupId === '' ? customersToken : groupId),
		customerScope: scopeOf(baseUrl, customersToken),
		secrets,
		decrypted: { id: CREDENTIAL, name: CREDENTIAL, type: CREDENTIAL, data },
	};
}
