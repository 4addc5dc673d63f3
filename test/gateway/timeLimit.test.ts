import type { INodeParameters } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Endpoint } from '../../nodes/PaymentsGateway/wire';
import type { Fault } from '../sandbox';
import { controlTimeLimit } from '../timeLimits';
import { useNode } from '../useNode';
import { chargeWithoutCart, get } from './operationOfEndpoint';

const { sandbox, run } = useNode();

// The time that it really took, which is not 0.
const WITHIN = /^The gateway did not answer within [\d.]*[1-9][\d.]* seconds$/;
const UNKNOWN = /It is not known whether this payment was charged/;
const remove = { ...get, operation: 'delete' };

test.each<[Endpoint, NonNullable<Fault['drip']>, number, number, INodeParameters, RegExp]>([
	['customer', 'headers', 30_000, 3, get, WITHIN],
	['deleteCustomer', 'body', 60_000, 1, remove, WITHIN],
	['createTokenizedManualEntry', 'body', 120_000, 1, chargeWithoutCart, UNKNOWN],
])(
	'an answer of %s that never ends (%s) is given up after %i ms, in %i tries',
	async (on, drip, limit, tries, parameters, words) => {
		const timeLimit = controlTimeLimit(limit);
		sandbox.addCustomer({ id: 'cus_1' });
		const paymentData = sandbox.addCart({ referenceID: 'ORDER-1' });
		sandbox.fault({ on, drip, run: () => timeLimit.expireSoon(), times: Infinity });
		const { error } = await run({ paymentData, ...parameters });
		timeLimit.restore();
		expect(error?.message).toMatch(words);
		expect(sandbox.requestsTo(on)).toHaveLength(tries);
		// No connection to the gateway is left open.
		const isOpen = () => sandbox.requests.some(({ closedAt }) => closedAt === undefined);
		while (isOpen()) await sleep(5);
	},
);
