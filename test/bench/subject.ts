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

import type { IDataObject } from 'n8n-workflow';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';

import type { RunOptions } from '../engine';
import { Engine, output } from '../engine';
import type { HttpRequestNode } from './httpRequest';
import { HTTP_REQUEST } from './httpRequest';

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
 * The package that is measured, copied so that a build meanwhile does not change it. The copy has
 * the usual loop (`fixture/Loop.node.ts`) as one more node, so that both run on the same engine with
 * the same credential.
 */
export class Subject {
	readonly engine: Engine;

	constructor(
		readonly directory: string,
		readonly http?: HttpRequestNode,
	) {
		this.engine = new Engine(directory, http && { [HTTP_REQUEST]: http.type });
	}

	static copy(http?: HttpRequestNode): Subject {
		for (const file of [...NODES, CREDENTIAL]) {
			if (!existsSync(join(HOME, file))) throw new Error(`${file} is missing: "npm run build"`);
		}
		const directory = mkdtempSync(join(tmpdir(), 'n8n-bench-'));
		cpSync(join(HOME, 'dist'), join(directory, 'dist'), { recursive: true });
		symlinkSync(join(HOME, 'node_modules'), join(directory, 'node_modules'));
		const manifest = {
			name: 'n8n-nodes-payments-gateway',
			version: '0.0.0',
			n8n: { n8nNodesApiVersion: 1, credentials: [CREDENTIAL], nodes: [...NODES, LOOP] },
		};
		writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
		const { outputText } = transpileModule(
			readFileSync(join(__dirname, 'fixture/Loop.node.ts'), 'utf8'),
			{ compilerOptions: { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 } },
		);
		cpSync(join(__dirname, 'fixture'), join(directory, 'dist/bench'), { recursive: true });
		writeFileSync(join(directory, LOOP), outputText);
		return new Subject(directory, http);
	}

	/** What n8n requires when it loads the package. */
	get files(): string[] {
		return [...NODES, CREDENTIAL].map((file) => join(this.directory, file));
	}

	/** What a run puts out, which must be so many rows. */
	async rows(expected: number, run: RunOptions): Promise<IDataObject[]> {
		const rows = output(await this.engine.run(run));
		if (rows.length !== expected) throw new Error(`${rows.length} rows instead of ${expected}`);
		return rows;
	}

	remove(): void {
		rmSync(this.directory, { recursive: true, force: true });
	}
}
