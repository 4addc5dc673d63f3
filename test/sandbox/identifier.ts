import { randomUUID } from 'node:crypto';

/**
 * Looks like the gateway's own and carries no meaning. Never the same twice, also not across resets:
 * a test must not pass on an ID of its neighbour.
 */
export function identifier(prefix: string): string {
	return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
}
