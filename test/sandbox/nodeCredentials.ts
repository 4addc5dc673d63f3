import type { Credentials } from './world';

/**
 * The sandbox's tokens as the fields of this package's credential. Tests and the demo hand them to
 * n8n.
 */

export function nodeCredentials({ url, credentials }: { url: string; credentials: Credentials }) {
	return {
		environment: 'sandbox',
		baseUrl: url,
		groupId: credentials.groupID,
		headerToken: credentials.headerToken,
		privateToken: credentials.privateToken,
	};
}
