import ts from 'typescript';

import { PaymentsGatewayApi } from '../credentials/PaymentsGatewayApi.credentials';
import { PaymentsGateway } from '../nodes/PaymentsGateway/PaymentsGateway.node';
import { PaymentsGatewayTrigger } from '../nodes/PaymentsGateway/PaymentsGatewayTrigger.node';
import { read, sourcesIn } from './files';

/** What the package says to people: one word for the gateway, and fields in single quotes. */

/** All texts in the sources, and the parts of those with something put in. */
const texts = sourcesIn('nodes', 'credentials').flatMap((file) => {
	const found: string[] = [];
	const look = (node: ts.Node): void => {
		if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) found.push(node.text);
		if (ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) found.push(node.text);
		ts.forEachChild(node, look);
	};
	look(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true));
	return found;
});

const labels = new Set(
	[
		...new PaymentsGateway().description.properties,
		...new PaymentsGatewayTrigger().description.properties,
		...new PaymentsGatewayApi().properties,
	]
		.flatMap((field) => [...JSON.stringify(field).matchAll(/"displayName":"([^"]+)"/g)])
		.map(([, label]) => label),
);

test('the gateway, an event and a charge have one name each', () => {
	const otherNames = /\b(?:[Tt]he|[Aa]) service\b|[Ww]ebhook [Ee]vent|\bCommit\b/;
	expect(texts.length).toBeGreaterThan(500);
	expect(texts.filter((text) => otherNames.test(text))).toEqual([]);
});

test('fields stand in single quotes', () => {
	const inDouble = texts.filter((text) =>
		[...text.matchAll(/"([^"]+)"/g)].some(([, words]) => labels.has(words)),
	);
	expect(labels).toContain('Reference ID');
	expect(inDouble).toEqual([]);
});
