import type { IDataObject } from 'n8n-workflow';

import type { Work } from './byHand';
import { everyPage, PAGE } from './byHand';
import type { Figure, Task } from './compare';
import { count, engine, gateway, kilobytes, run, SLOW, some } from './compare';

/** Figures of payments: charges and Get Status, which look references up; and the trigger. */

export async function payments(): Promise<Figure[]> {
	const [charges, events, references] = [some(100), some(5_000), some(20)];
	// Nothing is known of payments, as after a restart of n8n.
	engine.restart();
	const { carts, credentials } = await gateway.order({
		fresh: true,
		events: { count: events, until: 'an hour ago' },
		carts: charges,
		settings: SLOW,
	});
	const charge = {
		resource: 'payment',
		operation: 'charge',
		customerConsent: true,
		paymentData: '={{ $json.cart }}',
		card: { details: { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' } },
	};
	const cost = async (what: Task, items: IDataObject[], fits: string) => {
		const { requests } = await gateway.cost(async () => {
			const rows = await run(what, { credentials, items });
			if (rows.some((row) => !JSON.stringify(row).includes(fits))) throw new Error(fits);
		});
		return requests;
	};
	const items = carts.map((cart) => ({ cart }));
	const charged = await cost(charge, items, '"charged":true');
	const pages = await cost(everyPage('webhookEvents'), [{}], '');

	engine.restart();
	const status = { resource: 'payment', operation: 'getStatus', referenceId: '={{ $json.of }}' };
	const asked = Array.from({ length: references }, (_, index) => ({ of: `order-${index}` }));
	const told = await cost(status, asked, '"outcome":"succeeded"');
	const each = (requests: number, of: number) => `${(requests / of).toFixed(1)} requests each`;
	return [
		{
			what: `${count(charges)} charges, each looked up among ${count(events)} events (by hand: all pages each time)`,
			ours: each(charged, charges),
			// The cart and the charge itself are the other two.
			theirs: each((pages + 2) * charges, charges),
			ratio: ((pages + 2) * charges) / charged,
		},
		{
			what: `Get Status of ${count(references)} references, the first run`,
			ours: each(told, references),
			theirs: each(pages * references, references),
			ratio: (pages * references) / told,
		},
	];
}

export async function trigger(): Promise<Figure[]> {
	const events = some(10_000);
	const history = { count: 300, until: 'an hour ago' } as const;
	const { credentials } = await gateway.order({ fresh: true, events: history, settings: SLOW });
	const poller = engine.poller({ credentials, parameters: {} });
	await poller.activate();
	await gateway.order({ events: { count: events, until: 'now' } });

	const fired = new Set<unknown>();
	let [polls, rows, state] = [0, 0, 0];
	const drain = await gateway.cost(async () => {
		while (rows < events && polls < events) {
			polls += 1;
			const found = (await poller.poll())?.flat() ?? [];
			for (const { json } of found) fired.add(json.eventID);
			rows += found.length;
			state = Math.max(state, Buffer.byteLength(JSON.stringify(poller.workflowMemory)));
		}
	});
	if (fired.size !== events || rows !== events) throw new Error(`${rows} of ${events} events`);
	const idle = await gateway.cost(async () => await poller.poll());

	const pages = await gateway.cost(
		async () => await run(everyPage('webhookEvents'), { credentials }),
	);
	const onePage: Work = async (send) =>
		(await send('webhookEvents', { page: { page: 1, pageSize: PAGE } })).data;
	const page = await gateway.cost(async () => await run(onePage, { credentials }));
	return [
		{
			what: `The trigger draining ${count(events)} events (by hand: every page read once)`,
			ours: `${count(drain.requests)} requests in ${polls} polls`,
			theirs: `${count(pages.requests)} requests`,
			ratio: pages.requests / drain.requests,
		},
		{
			what: `A poll that finds nothing new (by hand: one page of ${PAGE})`,
			ours: `${idle.requests} request, ${kilobytes(idle.bytes)}`,
			theirs: `${page.requests} request, ${kilobytes(page.bytes)}`,
			ratio: page.bytes / idle.bytes,
		},
		{
			what: "The trigger's state at its largest (limit: 64 kB)",
			ours: kilobytes(state),
			theirs: '–',
		},
	];
}
