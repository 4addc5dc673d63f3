import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { INode } from 'n8n-workflow';

import type { Field } from '../nodes/PaymentsGateway/form/field';
import { fields as triggerFields } from '../nodes/PaymentsGateway/trigger/fields';
import { isObject } from '../nodes/PaymentsGateway/wire/json';
import { read, root } from './files';
import { resources } from './operations';

/** The example workflows, held against the form: a renamed parameter would break them unseen. */

const PACKAGE = 'n8n-nodes-payments-gateway.';

interface Workflow {
	name: string;
	nodes: INode[];
	/** By the node that they start from, and by type: `main`, or `ai_tool` for an agent's tool. */
	connections: Record<string, Record<string, Array<Array<{ node: string }>>>>;
}

const examples = readdirSync(join(root, 'workflows')).map((file) => {
	const workflow: Workflow = JSON.parse(read(`workflows/${file}`));
	return { file, workflow };
});

const own = examples.flatMap(({ file, workflow }) =>
	workflow.nodes
		.filter(({ type }) => type.startsWith(PACKAGE))
		.map((node) => ({ title: `${file}: ${node.name}`, node })),
);

function fieldsOf({ type, parameters }: INode): readonly Field[] {
	if (type === `${PACKAGE}paymentsGatewayTrigger`) return triggerFields;
	const operations = resources[String(parameters.resource)]?.operations ?? {};
	return operations[String(parameters.operation)]?.fields ?? [];
}

/** Every parameter that the form does not have, and every choice that it does not offer. */
function strangers(fields: readonly Field[], filled: object, path = ''): string[] {
	return Object.entries(filled).flatMap(([name, value]) => {
		const field = fields.find((entry) => entry.name === name);
		const here = `${path}${name}`;
		if (!field) return [here];
		const options = field.options ?? [];
		if (field.type === 'options' && !String(value).startsWith('=')) {
			const isKnown = options.some((option) => 'value' in option && option.value === value);
			return isKnown ? [] : [`${here}: ${String(value)}`];
		}
		if (field.type === 'collection' && isObject(value)) {
			const inner = options.filter((option): option is Field => 'type' in option);
			return strangers(inner, value, `${here}.`);
		}
		if (field.type === 'fixedCollection' && isObject(value)) {
			return Object.entries(value).flatMap(([name, rows]) => {
				const group = options.find((option) => option.name === name);
				const within = `${here}.${name}`;
				if (!group || !('values' in group)) return [within];
				return [rows]
					.flat()
					.flatMap((row: unknown) => strangers(group.values, Object(row), `${within}.`));
			});
		}
		return [];
	});
}

test('there are the ten examples that the README shows', () => {
	expect(examples).toHaveLength(10);
	expect(own.length).toBeGreaterThan(10);
});

test.each(own)('$title uses only parameters that exist', ({ node }) => {
	const { resource, operation, pollTimes, ...parameters } = node.parameters;
	const fields = fieldsOf(node);
	expect(fields.length).toBeGreaterThan(0);
	expect(strangers(fields, parameters)).toEqual([]);
	// n8n's own: which operation it is, and when a trigger polls.
	expect([typeof resource, typeof operation, typeof pollTimes]).toEqual(
		node.type.endsWith('Trigger')
			? ['undefined', 'undefined', 'object']
			: ['string', 'string', 'undefined'],
	);
});

test.each(examples)(
	'$file connects only nodes that it has, and explains itself',
	({ workflow }) => {
		const names = new Set(workflow.nodes.map(({ name }) => name));
		for (const [from, outputs] of Object.entries(workflow.connections)) {
			expect(names).toContain(from);
			for (const { node } of Object.values(outputs).flat(2)) expect(names).toContain(node);
		}
		expect(workflow.nodes.some(({ type }) => type.endsWith('stickyNote'))).toBe(true);
	},
);

// What n8n draws, in the canvas's own pixels

const LINE = { heading: 32.4, text: 18.9 };
const FONT = { heading: 24, text: 14 };
const BETWEEN = 8;
/** n8n draws no note lower than this. */
const LOWEST = 80;
/** Above, below, and on both sides of a note's text. */
const PADDING = { top: 8, bottom: 14, sides: 26 };

/** In n8n's font of size 1: near enough to know where a line breaks. */
function widthOf(word: string): number {
	const narrow = word.match(/[il.,:;'’|! jftr()[\]I-]/g)?.length ?? 0;
	return narrow * 0.28 + (word.length - narrow) * 0.61;
}

function linesOf(text: string, room: number): number {
	let lines = 1;
	let filled = 0;
	for (const word of text.split(' ')) {
		if (filled > 0 && filled + widthOf(word) > room) {
			lines += 1;
			filled = 0;
		}
		filled += widthOf(`${word} `);
	}
	return lines;
}

function heightOf({ content, width }: { content: string; width: number }): number {
	const blocks = content.split(/\n+/).map((block) => {
		const kind = block.startsWith('## ') ? 'heading' : 'text';
		const text = block.replace(/^## |[*`]/g, '');
		return linesOf(text, (width - PADDING.sides) / FONT[kind]) * LINE[kind];
	});
	const text = blocks.reduce((sum, height) => sum + height + BETWEEN, -BETWEEN);
	return Math.max(LOWEST, PADDING.top + text + PADDING.bottom);
}

function noteOf({ parameters: { content, width, height } }: INode) {
	return { content: String(content), width: Number(width), height: Number(height) };
}

const ICON = 96;
const LABEL = 48;

function boxOf(node: INode) {
	const [left, top] = node.position;
	if (node.type.endsWith('.stickyNote')) {
		const { width, height } = noteOf(node);
		return { left, top, right: left + width, bottom: top + height };
	}
	// An agent and its approval step are wider, and carry their name inside.
	const wide = { agent: 224, emailSendHitlTool: 240 }[node.type.split('.').at(-1) ?? ''];
	if (wide !== undefined) return { left, top, right: left + wide, bottom: top + ICON };
	return { left: left - LABEL, top, right: left + ICON + LABEL, bottom: top + ICON + LABEL };
}

function touch(one: INode, other: INode): boolean {
	const [a, b] = [boxOf(one), boxOf(other)];
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

const notes = examples.flatMap(({ file, workflow: { nodes } }) =>
	nodes
		.filter(({ type }) => type.endsWith('.stickyNote'))
		.map((note) => ({ title: `${file}: ${note.name}`, note: noteOf(note) })),
);

test.each(notes)('$title has the height of its text', ({ note }) => {
	const needed = heightOf(note);
	expect(note.height).toBeGreaterThanOrEqual(Math.floor(needed));
	// Not so high that one more line would fit.
	expect(note.height - needed).toBeLessThan(LINE.text);
});

test.each(examples)('$file has no node or note that lies on another', ({ workflow: { nodes } }) => {
	const touched = nodes.flatMap((node, index) =>
		nodes
			.slice(index + 1)
			.filter((other) => touch(node, other))
			.map((other) => `${node.name} and ${other.name}`),
	);
	expect(touched).toEqual([]);
});
