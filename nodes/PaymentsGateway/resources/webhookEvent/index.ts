import { getAll } from './getAll';

/**
 * The resource Webhook Event: what the service has reported about payments. The trigger reads the
 * same list.
 */

export const webhookEvent = {
	name: 'Webhook Event',
	description: 'Successful, failed and refunded payments, as the service reports them',
	operations: { getAll },
};
