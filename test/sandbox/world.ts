import type { Clock } from './clock';
import type { Settings } from './settings';
import type { State } from './state';

/** What every part of the sandbox works on, and the two merchant groups that it knows. */

export interface Credentials {
	groupID: string;
	headerToken: string;
	privateToken: string;
}

/** Not secret: they open a sandbox and nothing else. */
export const credentials: Credentials = {
	groupID: 'grp_sandbox',
	headerToken: 'sandbox-header-token',
	privateToken: 'sandbox-private-token',
};

/** A second merchant group with events of its own. Customers belong to the header token alone. */
export const otherCredentials: Credentials = {
	groupID: 'grp_other',
	headerToken: credentials.headerToken,
	privateToken: 'sandbox-other-private-token',
};

/** The tokens as the fields of this package's credential in n8n. */
export function nodeCredentials({ url, credentials }: { url: string; credentials: Credentials }) {
	return {
		environment: 'sandbox',
		baseUrl: url,
		groupId: credentials.groupID,
		headerToken: credentials.headerToken,
		privateToken: credentials.privateToken,
	};
}

/** A reset replaces the state. */
export interface World {
	state: State;
	settings: Settings;
	readonly clock: Clock;
	readonly url: string;
}
