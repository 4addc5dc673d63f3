import type { Clock } from './clock';
import type { Settings } from './settings';
import type { State } from './state';

/** What all parts of the sandbox share, and the credentials of its two merchant groups. */

/** Not secret: they open a sandbox and nothing else. */
export const credentials = {
	groupID: 'grp_sandbox',
	headerToken: 'sandbox-header-token',
	privateToken: 'sandbox-private-token',
};

/** A second merchant group with events of its own. Customers belong to the header token alone. */
export const otherCredentials = {
	...credentials,
	groupID: 'grp_other',
	privateToken: 'sandbox-other-private-token',
};

interface Target {
	url: string;
	credentials: typeof credentials;
}

/** The tokens as the fields of this package's credential in n8n. */
export function nodeCredentials({ url, credentials: { groupID, ...tokens } }: Target) {
	return { environment: 'sandbox', baseUrl: url, groupId: groupID, ...tokens };
}

/** A reset replaces the state. */
export interface World {
	state: State;
	settings: Settings;
	readonly clock: Clock;
	readonly url: string;
}
