import { log } from '../engine';
import { nodeCredentials } from '../sandbox';
import { DAY, MINUTE, SECOND } from './spans';
import { expectOnce, fired, ids, iso, NOON, useTrigger } from './useTrigger';

/** The state belongs to the node, whatever the node is called, and to no other. */

const { sandbox, poller, add, pass, drain, active } = useTrigger();

const ENGINES = ['default', 'durable', 'scheduled'] as const;

test.each(ENGINES)(
	'a node that is renamed, before it has fired anything and later, fires all that comes (%s engine)',
	async (engine) => {
		add(150);
		const trigger = await active({ engine });
		const made: string[] = [];
		for (const name of ['Payments came in', 'Came in', 'Trigger']) {
			made.push(...add(1));
			trigger.rename(name);
			expect(ids(await trigger.activate('update'))).toEqual(made.slice(-1));
			await drain(trigger);
			pass();
		}
		expectOnce(trigger, made);
	},
);

test('goes on from the state of the other engine', async () => {
	add(150);
	const trigger = await active();
	const made = add(1);
	await trigger.poll();
	for (const engine of ['durable', 'scheduled', 'default'] as const) {
		await trigger.restart(engine);
		pass();
		made.push(...add(1));
		await trigger.activate('init');
		await drain(trigger);
	}
	expectOnce(trigger, made);
});

const fromDate = { startFrom: 'date', startDate: iso(NOON - 4 * MINUTE) };

test.each([
	['after a start in the default engine', { engine: 'default' }, false],
	['after a start that found nothing', { engine: 'durable' }, false],
	['and n8n crashed, after a start that found nothing', { engine: 'durable' }, true],
	['and n8n crashed, after a start by a date', null, true],
] as const)(
	'an emission that n8n could not store with its durable cursor, %s, is made again',
	async (_, given, hasCrashed) => {
		if (given) add(150);
		const trigger = given ? await active(given) : poller({ engine: 'durable', form: fromDate });
		if (given?.engine === 'default') await trigger.restart('durable');
		const made = add(3);
		trigger.dropsNext = true;
		await trigger.poll();
		expect(fired(trigger)).toEqual([]);
		if (hasCrashed) await trigger.restart();
		await drain(trigger);
		expectOnce(trigger, made);
	},
);

test.each(ENGINES)(
	'survives a crash before the first scheduled poll (%s engine)',
	async (engine) => {
		add(150);
		const trigger = await active({ engine });
		const made = add(1);
		await trigger.restart();
		expect(ids(await trigger.poll())).toEqual(made);
	},
);

test.each([
	['another node of the workflow', { settings: { id: 'another' } }],
	['a copy of the workflow', { workflow: { id: 'a-copy' } }],
])('leaves the state to its owner: %s starts anew', async (name, other) => {
	add(150);
	const workflow = { id: `the-workflow of ${name}` };
	const trigger = await active({ workflow });
	add(20);
	await trigger.poll();
	const made = add(1);
	const copy = poller({ workflow, ...other, workflowData: trigger.workflowState });
	expect(await copy.activate()).toBeNull();
	expect(ids(await trigger.poll())).toEqual(made);
	pass();
	const next = add(1);
	expect(ids(await copy.poll())).toEqual(next);
});

test('leaves behind the states that an imported workflow brought along', async () => {
	const workflow = { id: 'imported' };
	const paymentsGatewayTriggers = { 'elsewhere/other': { v: 1 }, 'imported/other': { v: 1 } };
	const trigger = poller({ workflow, workflowData: { paymentsGatewayTriggers } });
	await trigger.activate();
	add(1);
	await trigger.poll();
	const states = Object.keys(trigger.workflowState.paymentsGatewayTriggers as object);
	expect(states).toContain('imported/other');
	expect(states).not.toContain('elsewhere/other');
});

test('another group with Start From: Date starts anew from now', async () => {
	add(20, MINUTE);
	const other = { groupID: sandbox.otherCredentials.groupID };
	sandbox.addEvents(50, (index) => ({ date: iso(NOON - index * SECOND), ...other }));
	const form = { startFrom: 'date', startDate: iso(NOON - 400 * MINUTE) };
	const trigger = poller({ form });
	expect(ids(await trigger.activate())).toHaveLength(20);
	trigger.credentials(nodeCredentials({ url: sandbox.url, credentials: sandbox.otherCredentials }));
	pass();
	expect(await trigger.poll()).toBeNull();
	expect(log.lines.some((line) => /^warn .*another group.*from now/.test(line))).toBe(true);
	const [made] = sandbox.addEvents(1, () => ({ date: iso(NOON + MINUTE), ...other }));
	expect(ids(await trigger.poll())).toEqual([made?.eventID]);
});

test.each(ENGINES)(
	'goes on from a start that n8n has not stored yet (%s engine)',
	async (engine) => {
		add(150);
		const workflow = { id: `not stored by the ${engine} engine` };
		await active({ engine, workflow });
		const made = add(1);
		const again = poller({ engine, workflow });
		expect(ids(await again.poll())).toEqual(made);
	},
);

test.each(ENGINES)(
	'a wider choice of types fires nothing that polls since an earlier publishing have handled (%s engine)',
	async (engine) => {
		add(50);
		const workflow = { id: `published twice in the ${engine} engine` };
		const trigger = await active({ engine, workflow, form: { events: ['payment_refund'] } });
		const idle = async () => {
			add(3);
			expect(await trigger.poll()).toBeNull();
			pass();
		};
		await idle();
		add(1);
		await trigger.activate('update');
		pass();
		await idle();
		await idle();
		trigger.edit({ events: ['payment_refund', 'payment_success'] });
		await trigger.activate('update');
		const made = add(2);
		await drain(trigger);
		expect(fired(trigger)).toEqual(made);
	},
);

test('a start that nobody has gone on from for a day is forgotten', async () => {
	add(150);
	const workflow = { id: 'started long ago' };
	await active({ workflow });
	pass(DAY);
	add(1);
	expect(await poller({ workflow }).poll()).toBeNull();
});

test.each(ENGINES)(
	'a start whose events n8n has not stored is made again (%s engine)',
	async (engine) => {
		const made = add(3, MINUTE);
		const workflow = { id: `dropped by the ${engine} engine` };
		const given = { engine, form: fromDate, workflow };
		expect(ids(await poller(given).activate())).toEqual(made);
		pass(2 * MINUTE);
		expect(ids(await poller(given).activate())).toEqual(made);
	},
);

test('static data that was cleared fires nothing again: the trigger starts anew', async () => {
	add(150);
	const workflow = { id: 'cleared' };
	const trigger = await active({ workflow });
	const made = add(3);
	expect(ids(await trigger.poll())).toEqual(made);
	pass();
	const cleared = poller({ workflow });
	expect(await cleared.poll()).toBeNull();
	const fresh = add(1);
	expect(ids(await cleared.poll())).toEqual(fresh);
});

test('two triggers of one workflow, whose polls overlap, fire each event once', async () => {
	const first = await active();
	const second = poller({ beside: first, settings: { id: 'second', name: 'Second' } });
	await second.activate();
	const made: string[] = [];
	for (let minute = 0; minute < 10; minute++) {
		pass();
		made.push(...add(1));
		await Promise.all([first.poll(), second.poll()]);
	}
	await drain(first);
	await drain(second);
	expectOnce(first, made);
	expectOnce(second, made);
});
