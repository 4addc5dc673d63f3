import { randomUUID } from 'node:crypto';

/**
 * A random ID that looks like the gateway's. It never repeats, even after a reset: a test must not pass
 * on another test's ID.
 */
export function identifier(prefix: string): string {
	return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
}
