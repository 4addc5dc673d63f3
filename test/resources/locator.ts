import type { INodeParameters } from 'n8n-workflow';

/** A resource locator's value, as n8n stores what was picked or typed in one of its modes. */
export const by = (mode: string, value: unknown) =>
	({ __rl: true, mode, value }) as INodeParameters;
