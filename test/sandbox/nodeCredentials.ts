import type { Credentials } from './world';

/** The tokens of a group, spelled as the fields of this package's credential in n8n. */
export function nodeCredentials({ url, credentials }: { url: string; credentials: Credentials }) {
	return {
		environment: 'sandbox',
		baseUrl: url,
		groupId: credentials.groupID,
		headerToken: credentials.headerToken,
		privateToken: credentials.privateToken,
	};
}
