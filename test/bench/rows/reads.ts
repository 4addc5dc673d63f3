import { output } from '../../engine';
import { floor, inParallel } from '../floor';
import { Race } from '../measure';
import type { Bench, Line, Row } from '../row';
import { against, count, judged, milliseconds, times } from '../row';
import { ACTION, USUAL } from '../subject';

const PARALLEL = 5;

async function contest(bench: Bench, reads: number, latency: number) {
	const { engine } = bench.subject;
	const { customers } = await bench.service.fresh({ customers: reads, settings: { latency } });
	const credentials = await bench.service.credentials();
	const items = customers.map(({ id }) => ({ id }));
	const bare = await floor(bench.service);
	const run = async (nodeType: string, parameters: Record<string, string | number>) => {
		const rows = output(await engine.run({ nodeType, credentials, items, parameters }));
		if (rows.length !== reads) throw new Error(`${rows.length} rows came instead of ${reads}`);
	};
	const rivals = {
		ours: () =>
			run(ACTION, { resource: 'customer', operation: 'get', customerId: '={{ $json.id }}' }),
		usual: () => run(USUAL, { task: 'get', customer: '={{ $json.id }}' }),
		helper: () => run(USUAL, { task: 'get', customer: '={{ $json.id }}', parallel: PARALLEL }),
		bareAxios: async () =>
			await inParallel(
				items.map(
					({ id }) =>
						async () =>
							await bare.customers('customer', { customerID: id }),
				),
				PARALLEL,
			),
	};
	return { rivals, close: bare.close };
}

export const reads: Row = {
	name: 'reads',
	title: 'Single reads',
	run: async (bench) => {
		const reads = bench.isQuick ? 100 : 500;
		const head = `${count(reads)} single reads`;
		const slow = await contest(bench, reads, 20);
		const atLatency = await Race.run(slow.rivals, bench);
		slow.close();
		const quick = await contest(bench, reads, 0);
		const { ours, helper, bareAxios } = quick.rivals;
		// Short and close together, so more rounds tell more.
		const atOnce = await Race.run(
			{ ours, helper, bareAxios },
			{ ...bench, rounds: bench.rounds * 3 },
		);
		quick.close();
		const lines: Line[] = [
			judged(
				`${head} at 20 ms: faster than the usual loop`,
				atLatency.ratio('usual', 'ours'),
				{ least: 4 },
				times,
				against(atLatency, 'ours', 'usual'),
			),
			{
				what: `${head} at 20 ms: of bare axios, ${PARALLEL} at once`,
				measured: `${times(atLatency.ratio('ours', 'bareAxios'))} (${milliseconds(atLatency.ms('bareAxios'))})`,
			},
			judged(
				`${head} without latency: of n8n's helper alone`,
				atOnce.ratio('ours', 'helper'),
				{ most: 1.15 },
				times,
				against(atOnce, 'ours', 'helper'),
			),
			{
				what: `${head} without latency: processor time, of n8n's helper alone`,
				measured: `${times(atOnce.ratio('ours', 'helper', 'cpu'))} (${milliseconds(atOnce.cpu('ours'))} against ${milliseconds(atOnce.cpu('helper'))})`,
			},
			{
				what: `${head} without latency: of bare axios, ${PARALLEL} at once`,
				measured: `${times(atOnce.ratio('ours', 'bareAxios'))} (${milliseconds(atOnce.ms('bareAxios'))})`,
			},
		];
		return lines;
	},
};
