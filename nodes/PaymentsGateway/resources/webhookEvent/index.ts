import { getAll } from './getAll';

/**
 * The resource Event: what the service has reported about payments. The trigger reads the
 * same list.
 */

export const webhookEvent = {
	name: 'Event',
	description: 'Successful, failed and refunded payments, as the gateway reports them',
	operations: { getAll },
};
