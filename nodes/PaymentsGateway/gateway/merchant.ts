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
 * The merchant that a credential names: the address of its gateway, and what tells it from other
 * merchants. The credential itself checks whether it is complete, when it puts its token on a request.
 */

export const CREDENTIAL = 'paymentsGatewayApi';

export type Context = IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions;

export interface Merchant {
	baseUrl: string;
	environment: 'sandbox' | 'production';
	/** Identifies the merchant: a hash of the address and the group, or the header token without one. */
	scope: string;
	/**
	 * Identifies whose customers these are: a hash of the address and the header token. It is kept in memory
	 * only. Without a group, `scope` has the same value, and `scope` is stored.
	 */
	customerScope: string;
	/** The tokens, which must never be shown. */
	secrets: readonly string[];
	/** Puts the token on a request. Without it, n8n would take the credential of the first item. */
	decrypted: ICredentialsDecrypted;
}

/**
 * Normalizes the address. Must stay the same, like `scopeOf`, which hashes it. An invalid address is
 * returned as typed; the credential rejects it.
 */
function normalizeUrl(typed: string): string {
	// URL.canParse is no help: Node 20's optimised version refuses addresses with an ü.
	try {
		return new URL(typed).href.replace(/\/+$/, '');
	} catch {
		return typed;
	}
}

/** Must stay the same: the state of triggers and the locks of charges are stored under it. */
function scopeOf(baseUrl: string, merchant: string): string {
	return createHash('sha256')
		.update(JSON.stringify([baseUrl, merchant]))
		.digest('hex')
		.slice(0, 16);
}

export function merchantOf(credential: ICredentialDataDecryptedObject): Merchant {
	const baseUrl = normalizeUrl(textOf(credential.baseUrl));
	const secrets = Object.entries(credential)
		.filter(([name]) => name.endsWith('Token'))
		.map(([, value]) => textOf(value));
	// The architecture test allows only the credential's own file to name a token's field.
	const customersToken = textOf(credential[`${endpoints.customers.token}Token`]);
	const groupId = textOf(credential.groupId);
	return {
		baseUrl,
		// Production needs a switch before it charges, so anything but the sandbox counts as production.
		environment: credential.environment === 'sandbox' ? 'sandbox' : 'production',
		scope: scopeOf(baseUrl, groupId === '' ? customersToken : groupId),
		customerScope: scopeOf(baseUrl, customersToken),
		secrets,
		decrypted: { id: CREDENTIAL, name: CREDENTIAL, type: CREDENTIAL, data: credential },
	};
}
