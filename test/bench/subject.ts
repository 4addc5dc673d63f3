import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import type { RunOptions } from '../engine';
import { Engine, output } from '../engine';
import { manifest } from '../engine/package';
import type { HttpRequestNode } from './httpRequest';
import { HTTP_REQUEST } from './httpRequest';
import { LOOP, loop } from './loop';

const HOME = resolve(__dirname, '../..');

export const ACTION = 'paymentsGateway';
export const TRIGGER = 'paymentsGatewayTrigger';
export const USUAL = LOOP;

/**
 * The package that is measured, copied so that a build meanwhile does not change it. Its rivals run
 * on the same engine, with the same credential.
 */
export class Subject {
	readonly engine: Engine;

	constructor(
		readonly directory: string,
		readonly http?: HttpRequestNode,
	) {
		this.engine = new Engine(directory, { [LOOP]: loop, [HTTP_REQUEST]: http?.type });
	}

	static copy(http?: HttpRequestNode): Subject {
		const directory = mkdtempSync(join(tmpdir(), 'n8n-bench-'));
		for (const part of ['dist', 'package.json']) {
			cpSync(join(HOME, part), join(directory, part), { recursive: true });
		}
		symlinkSync(join(HOME, 'node_modules'), join(directory, 'node_modules'));
		return new Subject(directory, http);
	}

	/** What n8n requires when it loads the package. */
	get files(): string[] {
		const { nodes, credentials } = manifest(this.directory).n8n;
		return [...nodes, ...credentials].map((file) => join(this.directory, file));
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
