import type { IDataObject, INodeTypes, IPollFunctions } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import type { State } from '../../nodes/PaymentsGateway/trigger/state';
import type * as StateStore from '../../nodes/PaymentsGateway/trigger/stateStore';
import type { PollEngine } from '../engine';
import { loadInNewProcess } from '../newProcess';
import { NODE } from './eventListGateway';

const noTypes = { getByNameAndVersion: () => undefined } as unknown as INodeTypes;

function copyOf<T>(value: T): T {
	return JSON.parse(JSON.stringify(value)) as T;
}

const loadStateStore = () =>
	loadInNewProcess<typeof StateStore>(() =>
		jest.requireActual('../../nodes/PaymentsGateway/trigger/stateStore'),
	);

/**
 * What n8n saves of a trigger's state and what it has in memory, in each of its poll engines. The
 * same as in test/engine/poller.ts, without n8n around it: a storm has thousands of polls.
 */
export class SimulatedN8n {
	/** The static data of the workflow in the database. Saved when a poll returns events. */
	private staticData: IDataObject | undefined;
	/** The durable cursor in the database. Saved after every poll. */
	private cursor: IDataObject = {};
	private workflow = this.loadWorkflow();
	private process = loadStateStore();

	constructor(private readonly engine: PollEngine) {}

	/** The store of one poll. */
	openStateStore(): ReturnType<typeof StateStore.openStateStore> {
		// The scheduler loads the workflow anew for each poll.
		if (this.engine !== 'default') this.workflow = this.loadWorkflow();
		const { workflow } = this;
		const cursor = this.engine === 'durable' ? copyOf(this.cursor) : undefined;
		const context = {
			getWorkflowStaticData: (type: string) =>
				type === 'node' && cursor ? cursor : workflow.getStaticData(type, NODE),
		} as unknown as IPollFunctions;
		const store = this.process.openStateStore(context, 'workflow/node');
		const save = (next: State, isEmission: boolean) => {
			store.save(next, isEmission);
			this.cursor = cursor ?? this.cursor;
			if (isEmission) this.staticData = copyOf(workflow.staticData);
		};
		return { ...store, save };
	}

	/** n8n ends and starts again: what it has not saved is gone. */
	restart(): void {
		this.workflow = this.loadWorkflow();
		this.process = loadStateStore();
	}

	private loadWorkflow(): Workflow {
		return new Workflow({
			id: 'workflow',
			nodes: [NODE],
			connections: {},
			active: true,
			nodeTypes: noTypes,
			...(this.staticData && { staticData: copyOf(this.staticData) }),
		});
	}
}
