import * as n8nWorkflow from 'n8n-workflow';

/**
 * Loads modules of the package again, as a new process of n8n does: they remember nothing. All
 * processes share n8n-workflow, or what is given for it, since loading it is slow.
 */
export function loadInNewProcess<T>(load: () => T, sharedN8nWorkflow: object = n8nWorkflow): T {
	const loaded: T[] = [];
	jest.doMock('n8n-workflow', () => sharedN8nWorkflow);
	try {
		jest.isolateModules(() => loaded.push(load()));
	} finally {
		jest.dontMock('n8n-workflow');
	}
	const [modules] = loaded;
	if (modules === undefined) throw new Error('The modules were not loaded');
	return modules;
}
