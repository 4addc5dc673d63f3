import type { IDataObject } from 'n8n-workflow';

import type { Task, Work } from './byHand';
import { everyPage, PAGE } from './byHand';
import type { Figure } from './compare';
import { costOf, engine, formatted, kilobytes, run, scaled, send, SLOW } from './compare';

/** Figures of payments: charges and Get Status, which look references up; and the trigger. */

export async function payments(): Promise<Figure[]> {
	const charges = scaled(100);
	const events = scaled(5_000);
	const references = scaled(20);
	// The package remembers no payments after a restart.
	engine.restart();
	const { carts, credentials } = await send({
		fresh: true,
		events: { count: events, until: 'an hour ago' },
		carts: charges,
		settings: SLOW,
	});
	const charge: Task = {
		parameters: {
			resource: 'payment',
			operation: 'charge',
			customerConsent: true,
			paymentData: '={{ $json.cart }}',
			card: { details: { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' } },
		},
	};
	/** The number of requests of a task whose rows must all include a text. */
	const requestsOf = async (task: Task, items: IDataObject[], text: string) => {
		const { requests } = await costOf(async () => {
			const rows = await run(task, { credentials, items });
			if (rows.some((row) => !JSON.stringify(row).includes(text))) throw new Error(text);
		});
		return requests;
	};
	const items = carts.map((cart) => ({ cart }));
	const charged = await requestsOf(charge, items, '"charged":true');
	const pages = await requestsOf(everyPage('webhookEvents'), [{}], '');

	engine.restart();
	const getStatus: Task = {
		parameters: { resource: 'payment', operation: 'getStatus', referenceId: '={{ $json.order }}' },
	};
	const orders = Array.from({ length: references }, (_, index) => ({ order: `order-${index}` }));
	const statuses = await requestsOf(getStatus, orders, '"outcome":"succeeded"');
	const each = (requests: number, of: number) => `${(requests / of).toFixed(1)} requests each`;
	return [
		{
			what: `${formatted(charges)} charges, each looked up among ${formatted(events)} events (by hand: all pages each time)`,
			ours: each(charged, charges),
			// By hand, each charge reads all pages, computes the cart and charges it.
			theirs: each((pages + 2) * charges, charges),
			ratio: ((pages + 2) * charges) / charged,
		},
		{
			what: `Get Status of ${formatted(references)} references, the first run`,
			ours: each(statuses, references),
			theirs: each(pages * references, references),
			ratio: (pages * references) / statuses,
		},
	];
}

export async function trigger(): Promise<Figure[]> {
	const events = scaled(10_000);
	const history = { count: 300, until: 'an hour ago' } as const;
	const { credentials } = await send({ fresh: true, events: history, settings: SLOW });
	const poller = engine.poller({ credentials, parameters: {} });
	await poller.activate();
	await send({ events: { count: events, until: 'now' } });

	const fired = new Set<unknown>();
	let polls = 0;
	let rows = 0;
	let state = 0;
	const drain = await costOf(async () => {
		while (rows < events && polls < events) {
			polls += 1;
			const found = (await poller.poll())?.flat() ?? [];
			for (const { json } of found) fired.add(json.eventID);
			rows += found.length;
			state = Math.max(state, Buffer.byteLength(JSON.stringify(poller.workflowMemory)));
		}
	});
	if (fired.size !== events || rows !== events) throw new Error(`${rows} of ${events} events`);
	const idle = await costOf(async () => await poller.poll());

	const pages = await costOf(async () => await run(everyPage('webhookEvents'), { credentials }));
	const onePage: Work = async (send) =>
		(await send('webhookEvents', { page: { page: 1, pageSize: PAGE } })).data;
	const page = await costOf(async () => await run(onePage, { credentials }));
	return [
		{
			what: `The trigger draining ${formatted(events)} events (by hand: every page read once)`,
			ours: `${formatted(drain.requests)} requests in ${polls} polls`,
			theirs: `${formatted(pages.requests)} requests`,
			ratio: pages.requests / drain.requests,
		},
		{
			what: `A poll that finds nothing new (by hand: one page of ${PAGE})`,
			ours: `${idle.requests} request, ${kilobytes(idle.answerBytes)}`,
			theirs: `${page.requests} request, ${kilobytes(page.answerBytes)}`,
			ratio: page.answerBytes / idle.answerBytes,
		},
		{
			what: "The trigger's state at its largest (limit: 64 kB)",
			ours: kilobytes(state),
			theirs: '–',
		},
	];
}
