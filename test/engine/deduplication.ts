import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';

import { DataDeduplicationService } from 'n8n-core';
import type {
	DeduplicationItemTypes,
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

import { notSupplied } from './instance';

/**
 * n8n's table of processed data, which a node reaches through its deduplication helpers. Tests read
 * what was stored in it, and can make it fail.
 */

/** The table in "entries" mode. As in n8n, another access can come between a read and its write. */
export class DeduplicationStore implements IDataDeduplicator {
	readonly rows = new Map<string, string[]>();

	/** Runs before each read, and before and after each write: it may take time, or throw. */
	step?: (at: 'read' | 'write' | 'written') => Promise<void> | void;

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		options: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const key = this.key(scope, context, options);
		const stored = await this.read(key);
		const hashes = [...(stored ?? [])];
		const answer: IDeduplicationOutput = { new: [], processed: [] };
		// As in n8n: duplicates within one call are not detected.
		for (const item of items) {
			const hash = hashOf(item);
			if (stored?.includes(hash)) answer.processed.push(item);
			else {
				answer.new.push(item);
				hashes.push(hash);
			}
		}
		const { maxEntries } = options;
		if (maxEntries) hashes.splice(0, Math.max(0, hashes.length - maxEntries));
		await this.write(key, hashes, stored === undefined);
		return answer;
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		options: ICheckProcessedOptions,
	): Promise<void> {
		const key = this.key(scope, context, options);
		const hashes = await this.read(key);
		if (hashes === undefined) return;
		for (const item of items) {
			const index = hashes.indexOf(hashOf(item));
			if (index !== -1) hashes.splice(index, 1);
		}
		await this.write(key, hashes, false);
	}

	readonly clearAllProcessedItems = notSupplied;
	readonly getProcessedDataCount = notSupplied;

	private key(
		scope: DeduplicationScope,
		{ workflow, node }: ICheckProcessedContextData,
		{ mode }: ICheckProcessedOptions,
	): string {
		if (mode !== 'entries') throw new Error(`The test store has no mode "${mode}"`);
		// As in n8n: a workflow made for one agent call has no id.
		assert.ok(workflow.id);
		return scope === 'node' ? `${workflow.id} n:${node?.id}` : workflow.id;
	}

	private async read(key: string): Promise<string[] | undefined> {
		await this.access('read');
		const hashes = this.rows.get(key);
		return hashes && [...hashes];
	}

	private async write(key: string, hashes: string[], insert: boolean): Promise<void> {
		await this.access('write');
		if (insert && this.rows.has(key)) throw new Error('UNIQUE constraint failed: processed_data');
		this.rows.set(key, hashes);
		await this.step?.('written');
	}

	private async access(at: 'read' | 'write'): Promise<void> {
		await new Promise(setImmediate);
		await this.step?.(at);
	}
}

function hashOf(item: DeduplicationItemTypes): string {
	return createHash('md5').update(item.toString()).digest('base64');
}

export async function withDeduplicationStore(): Promise<DeduplicationStore> {
	const store = new DeduplicationStore();
	// n8n's service can be set up only once, but each test needs a store of its own.
	withoutDeduplicationStore();
	await DataDeduplicationService.init(store);
	return store;
}

/**
 * As in an n8n process that has not called `DataDeduplicationService.init`: the helper throws. Every
 * test file begins like this.
 */
export function withoutDeduplicationStore(): void {
	(DataDeduplicationService as unknown as { instance: unknown }).instance = undefined;
}
