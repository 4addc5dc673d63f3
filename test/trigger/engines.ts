import type { PollEngine } from '../engine';

/** Every way in which n8n polls a trigger. */
export const ENGINES = ['default', 'durable', 'scheduled'] as const satisfies readonly PollEngine[];
