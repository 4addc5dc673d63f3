import { getAll } from './getAll';

export const webhookEvent = {
	name: 'Webhook Event',
	description: 'What has become of your payments',
	operations: { getAll },
};
