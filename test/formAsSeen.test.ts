import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { INodeTypeDescription } from 'n8n-workflow';

import { root } from './files';

/**
 * Lints the forms as n8n shows them. The sources compute the forms from the registry, so linters see
 * no whole description there: this test writes both out as literals and lints these.
 */

/** A line item goes from the product to its price and quantity, not by the alphabet. */
const DELIBERATE = expect.stringMatching(
	/fixed-collection-type-unsorted-items: .*Order: Price \(Dollars\) \| Product \|/,
);

/** Rules about the class; the source file is linted for them. */
const OF_THE_CLASS = /node-class-|node-filename|node-connection-type/;

/** The node's file if the form were typed by hand. */
function asWritten(name: string, description: INodeTypeDescription): string {
	const literal = JSON.stringify(description, null, '\t').replace(/"(\w+)":/g, '$1:');
	return [
		"import type { INodeType, INodeTypeDescription } from 'n8n-workflow';",
		`export class ${name} implements INodeType {`,
		`	description: INodeTypeDescription = ${literal};`,
		'}',
	].join('\n');
}

function findings(name: string): string[] {
	const built = join(root, `dist/nodes/PaymentsGateway/${name}.node.js`);
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- the built file, as n8n loads it
	const loaded = require(built) as Record<string, new () => { description: INodeTypeDescription }>;
	const Node = loaded[name];
	if (Node === undefined) throw new Error(`${built} has no ${name}`);
	const written = asWritten(name, new Node().description);
	const lines = written.split('\n');
	const file = `nodes/PaymentsGateway/${name}.node.ts`;
	const { stdout, stderr } = spawnSync(
		process.execPath,
		['node_modules/eslint/bin/eslint.js', '--stdin', '--stdin-filename', file, '--format', 'json'],
		{ cwd: root, input: written, encoding: 'utf8', maxBuffer: 1e8 },
	);
	if (stdout === '') throw new Error(stderr);
	const [{ messages }]: [{ messages: Array<{ ruleId: string; message: string; line: number }> }] =
		JSON.parse(stdout);
	return messages
		.filter(({ ruleId }) => !OF_THE_CLASS.test(ruleId))
		.map(({ ruleId, message, line }) => `${ruleId}: ${message} | ${lines[line - 1]?.trim()}`);
}

test("n8n's linters find nothing in the written-out forms except the deliberate order of line items", () => {
	expect(findings('PaymentsGateway')).toEqual([DELIBERATE]);
	expect(findings('PaymentsGatewayTrigger')).toEqual([]);
});
