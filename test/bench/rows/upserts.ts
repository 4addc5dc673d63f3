import { output } from '../../engine';
import { median, time } from '../measure';
import type { Bench, Row } from '../row';
import { count, milliseconds, requests, times } from '../row';
import { ACTION, USUAL } from '../subject';

const LATENCY = 20;

async function upsertAll(bench: Bench, nodeType: string, items: number) {
	// Made anew each time: a run leaves no new customers for the next one.
	const { customers } = await bench.service.fresh({
		customers: items / 2,
		settings: { latency: LATENCY },
	});
	const credentials = await bench.service.credentials();
	const wanted = customers.flatMap(({ email }, index) => [
		{ email, name: `Known ${index}` },
		{ email: `new${index}@example.org`, name: `New ${index}` },
	]);
	const fields = { email: '={{ $json.email }}' };
	const parameters =
		nodeType === ACTION
			? {
					...fields,
					resource: 'customer',
					operation: 'upsert',
					customerFields: { nameOnCard: '={{ $json.name }}' },
				}
			: { ...fields, task: 'upsert', nameOnCard: '={{ $json.name }}' };
	return await bench.service.tally(
		async () =>
			await time(async () => {
				const options = { nodeType, credentials, items: wanted, parameters };
				const rows = output(await bench.subject.engine.run(options));
				if (rows.length !== items) throw new Error(`${rows.length} rows instead of ${items}`);
			}),
	);
}

export const upserts: Row = {
	name: 'upserts',
	title: 'Upserts',
	run: async (bench) => {
		const items = bench.isQuick ? 100 : 1_000;
		const rounds = Math.max(1, Math.floor(bench.rounds / 2));
		const ours: Array<Awaited<ReturnType<typeof upsertAll>>> = [];
		const usual: typeof ours = [];
		for (let round = 0; round < rounds; round++) {
			bench.progress(`round ${round + 1} of ${rounds}`);
			ours.push(await upsertAll(bench, ACTION, items));
			usual.push(await upsertAll(bench, USUAL, items));
		}
		const ms = (runs: typeof ours) => median(runs.map(({ result }) => result.ms));
		const asked = (runs: typeof ours) => requests(median(runs.map((run) => run.requests)));
		const head = `${count(items)} upserts, half of them new, at ${LATENCY} ms`;
		return [
			{
				what: `${head}: faster than the usual loop`,
				measured: `${times(ms(usual) / ms(ours))} (${milliseconds(ms(ours))} against ${milliseconds(ms(usual))})`,
			},
			{ what: `${head}: requests`, measured: `${asked(ours)} against ${asked(usual)}` },
		];
	},
};
