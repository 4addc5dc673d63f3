import { eventReporter } from './eventReporter';
import { addCredential } from './gatewayWorkflows';
import type { Testbed } from './testbed';
import { startTestbed, until } from './testbed';

/** A trigger node is renamed and the workflow published: no event is lost, and none fires twice. */

interface Trigger {
	name: string;
	type: string;
	parameters: object;
}

describe.each([
	'the default engine',
	'durable cursors',
	'the scheduler without durable cursors',
] as const)('with %s', (engine) => {
	let testbed: Testbed;
	let paid: string[];
	let first: number;

	beforeAll(async () => {
		testbed = await startTestbed({ engine });
	});

	afterAll(async () => await testbed?.close());

	beforeEach(() => {
		paid = [];
		first = testbed.inbox.alerts.length;
	});

	function pay(count = 1): void {
		const { sandbox } = testbed;
		for (let n = 0; n < count; n++) {
			const link = sandbox.addPaylink({ pricing: { amount: 1999 } });
			paid.push(sandbox.pay(link.payLinkID).eventID);
		}
	}

	const alerts = () => testbed.inbox.alerts.slice(first);

	async function allTold(): Promise<void> {
		await until(`${paid.length} events`, () => paid.every((event) => alerts().includes(event)), {
			within: 300_000,
		});
	}

	async function polled(): Promise<void> {
		const requests = () => testbed.sandbox.requestsTo('webhookEvents').length;
		const before = requests();
		await until('a poll', () => requests() > before);
	}

	async function activated(parameters: object): Promise<string> {
		const { api, sandbox, inbox } = testbed;
		const workflow = eventReporter(await addCredential(api, sandbox), inbox.url);
		for (const node of workflow.nodes as Trigger[]) {
			if (/Trigger$/.test(node.type)) node.parameters = { ...node.parameters, ...parameters };
		}
		const { id } = await api.addWorkflow(workflow);
		await api.activate(id);
		return id;
	}

	async function rename(id: string, name: string): Promise<void> {
		const { api } = testbed;
		const { nodes, connections, versionId, ...rest } = await api.workflow(id);
		const trigger = nodes.find(({ type }) => /Trigger$/.test(type));
		if (trigger === undefined) throw new Error('The workflow has no trigger');
		const { [trigger.name]: out, ...others } = connections as Record<string, object>;
		trigger.name = name;
		await api.send('PATCH', `workflows/${id}`, {
			name: rest.name,
			nodes,
			connections: { ...others, [name]: out },
			versionId,
		});
		await api.activate(id);
	}

	/** Two more polls would show what fires twice. */
	async function expectOnce(): Promise<void> {
		await polled();
		await polled();
		const told = alerts();
		process.stderr.write(`${engine}: ${paid.length} payments, ${told.length} events told\n`);
		expect([...told].sort()).toEqual([...paid].sort());
	}

	test('between two polls, before and after its first event', async () => {
		const id = await activated({});
		await polled();
		pay();
		await rename(id, 'Payments came in');
		pay();
		await allTold();
		pay();
		await rename(id, 'And went on');
		pay();
		await allTold();
		await testbed.instance.restart();
		pay();
		await allTold();
		await expectOnce();
		await testbed.api.deactivate(id);
	});

	test('in the middle of a backlog', async () => {
		const id = await activated({ options: { maxEventsPerPoll: 15 } });
		pay();
		await allTold();
		pay(50);
		await until('the first of the backlog', () => alerts().length > 1);
		await rename(id, 'In the middle');
		await allTold();
		await expectOnce();
		await testbed.api.deactivate(id);
	});

	test('with Start From: Date', async () => {
		const before = testbed.sandbox.clock.now().toISOString();
		pay(10);
		const id = await activated({ startFrom: 'date', startDate: before });
		await allTold();
		pay();
		await rename(id, 'Since then');
		pay();
		await allTold();
		await expectOnce();
		await testbed.api.deactivate(id);
	});
});
