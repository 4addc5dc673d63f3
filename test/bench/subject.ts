import {
	cpSync,
	existsSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';

import { Engine } from '../engine';
import type { HttpRequestNode } from './httpRequest';
import { HTTP_REQUEST } from './httpRequest';

/** The package that is measured, copied so that a build meanwhile does not change it. */

const HOME = resolve(__dirname, '../..');
const NODES = ['PaymentsGateway', 'PaymentsGatewayTrigger'].map(
	(name) => `dist/nodes/PaymentsGateway/${name}.node.js`,
);
const CREDENTIAL = 'dist/credentials/PaymentsGatewayApi.credentials.js';
const LOOP = 'dist/bench/Loop.node.js';

export const ACTION = 'paymentsGateway';
export const TRIGGER = 'paymentsGatewayTrigger';
export const USUAL = 'loop';

/**
 * The copy has the usual loop (`fixture/Loop.node.ts`) as one more node, so that both run on the
 * same engine with the same credential.
 */
export class Subject {
	readonly engine: Engine;

	private constructor(
		readonly directory: string,
		readonly nodes: readonly string[],
		readonly http?: HttpRequestNode,
	) {
		this.engine = new Engine(directory, http && { [HTTP_REQUEST]: http.type });
	}

	static copy(source = HOME, http?: HttpRequestNode): Subject {
		const missing = [NODES[0] ?? '', CREDENTIAL].find((file) => !existsSync(join(source, file)));
		if (missing !== undefined) {
			throw new Error(`${join(source, missing)} is missing: run "npm run build" first`);
		}
		const directory = mkdtempSync(join(tmpdir(), 'n8n-bench-'));
		cpSync(join(source, 'dist'), join(directory, 'dist'), { recursive: true });
		symlinkSync(join(HOME, 'node_modules'), join(directory, 'node_modules'));
		const nodes = NODES.filter((file) => existsSync(join(directory, file)));
		const manifest = {
			name: 'n8n-nodes-payments-gateway',
			version: '0.0.0',
			n8n: { n8nNodesApiVersion: 1, credentials: [CREDENTIAL], nodes: [...nodes, LOOP] },
		};
		writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
		const { outputText } = transpileModule(
			readFileSync(join(__dirname, 'fixture/Loop.node.ts'), 'utf8'),
			{ compilerOptions: { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 } },
		);
		cpSync(join(__dirname, 'fixture'), join(directory, 'dist/bench'), { recursive: true });
		writeFileSync(join(directory, LOOP), outputText);
		return new Subject(directory, nodes, http);
	}

	static open(directory: string): Subject {
		return new Subject(
			directory,
			NODES.filter((file) => existsSync(join(directory, file))),
		);
	}

	get hasTrigger(): boolean {
		return this.nodes.length > 1;
	}

	/** What n8n requires when it loads the package. */
	get files(): string[] {
		return [...this.nodes, CREDENTIAL].map((file) => join(this.directory, file));
	}

	remove(): void {
		rmSync(this.directory, { recursive: true, force: true });
	}
}
