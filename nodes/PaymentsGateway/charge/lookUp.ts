import { EventsMissing } from '../events/eventScan';
import { outcomeOf } from '../events/outcome';
import type { PaymentOutcome } from '../events/outcome';
import { eventsAbout } from '../events/paymentEvent';
import { recentEvents } from '../events/recentEvents';
import type { OperationContext } from '../operation/operation';

/** What the gateway's events show about a reference, for Charge and for Get Status. */

/** It fails if an event may be missing. */
export async function lookUpPayment(
	{ client, fieldError }: Pick<OperationContext, 'client' | 'fieldError'>,
	referenceID: string,
	lookBackDays: number,
): Promise<PaymentOutcome> {
	const events = await recentEvents(client, lookBackDays).catch((error: unknown) => {
		if (!(error instanceof EventsMissing)) throw error;
		throw fieldError(
			`Could not check whether the reference "${referenceID}" is already paid: ${error.message}`,
			`Nothing was changed or charged. Run it again later. If the gateway no longer lists older events, set 'Look Back (Days)' under Options (now ${lookBackDays}) to fewer days.`,
		);
	});
	return outcomeOf(eventsAbout(referenceID, events));
}

/** Undefined after any error: the caller then decides by what else it knows. */
export async function paymentIfKnown(
	...lookUp: Parameters<typeof lookUpPayment>
): Promise<PaymentOutcome | undefined> {
	return await lookUpPayment(...lookUp).catch(() => undefined);
}
