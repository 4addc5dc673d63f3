import { resolve } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import type { RunOptions } from '../engine';
import { Engine, output } from '../engine';
import type { HttpRequestNode } from './httpRequest';
import { HTTP_REQUEST } from './httpRequest';
import { loop, USUAL } from './loop';

export const HOME = resolve(__dirname, '../..');

export const ACTION = 'paymentsGateway';
export const TRIGGER = 'paymentsGatewayTrigger';

/** The package that is measured. Its rivals run on the same engine, with the same credential. */
export class Subject {
	readonly engine: Engine;

	constructor(http?: HttpRequestNode) {
		this.engine = new Engine(HOME, { [USUAL]: loop, [HTTP_REQUEST]: http?.type });
	}

	/** What a run puts out, which must be so many rows. */
	async rows(expected: number, run: RunOptions): Promise<IDataObject[]> {
		const rows = output(await this.engine.run(run));
		if (rows.length !== expected) throw new Error(`${rows.length} rows instead of ${expected}`);
		return rows;
	}
}
