import { output } from '../../engine';
import { floor, inParallel } from '../floor';
import { median, Race, time } from '../measure';
import type { Bench, Line, Row } from '../row';
import { against, count, judged, milliseconds, requests, times } from '../row';
import { ACTION, USUAL } from '../subject';

interface Size {
	customers: number;
	latency: number;
	target?: { faster: number; trips: number; requests: number };
}

const PAGE = 100;
const PARALLEL = 5;

const TARGETED: Size = {
	customers: 5_000,
	latency: 20,
	target: { faster: 4, trips: 1.4, requests: 52 },
};
const QUICK: Size = { customers: 1_000, latency: 20 };
const FULL: Size[] = [0, 20, 100].flatMap((latency) =>
	[1_000, 5_000, 20_000].map((customers) =>
		customers === TARGETED.customers && latency === TARGETED.latency
			? TARGETED
			: { customers, latency },
	),
);

async function listAll(bench: Bench, size: Size): Promise<Line[]> {
	const { engine } = bench.subject;
	const { customers, latency, target } = size;
	await bench.service.fresh({ customers, settings: { latency } });
	const credentials = await bench.service.credentials();
	const bare = await floor(bench.service);
	const pages = Math.ceil(customers / PAGE);
	const page = async (number: number) =>
		await bare.customers('customers', { page: { page: number, pageSize: PAGE } });
	const complete = (rows: number) => {
		if (rows !== customers) throw new Error(`${rows} rows came instead of ${customers}`);
	};
	const ours = async () =>
		complete(
			output(
				await engine.run({
					nodeType: ACTION,
					credentials,
					parameters: { resource: 'customer', operation: 'getAll', returnAll: true },
				}),
			).length,
		);
	const loop = async (parallel: number) => {
		const parameters = { task: 'customers', parallel };
		complete(output(await engine.run({ nodeType: USUAL, credentials, parameters })).length);
	};
	const usual = async () => await loop(1);
	const helper = async () => await loop(PARALLEL);
	const all = Array.from({ length: pages }, (_, index) => async () => await page(index + 1));
	const bareAxios = async () => await inParallel(all, PARALLEL);

	const race = await Race.run({ ours, usual, helper, bareAxios }, bench);
	// A round trip of a single page, with nothing else under way.
	const single: number[] = [];
	for (let tries = 0; tries < 9; tries++) single.push((await time(() => page(1))).ms);
	const trip = median(single);
	const trips = 1 + Math.ceil((pages - 1) / PARALLEL);
	const cost = await bench.service.tally(ours);
	bare.close();

	const head = `Return All, ${count(customers)} customers at ${latency} ms`;
	const faster = race.ratio('usual', 'ours');
	const bound = race.ms('ours') / (trips * trip);
	const both = against(race, 'ours', 'usual');
	const inTrips = `${trips} trips of ${milliseconds(trip)}`;
	const fasterThan = `${head}: faster than the usual loop`;
	const lines: Line[] = target
		? [
				judged(fasterThan, faster, { least: target.faster }, times, both),
				judged(`${head}: of the bound`, bound, { most: target.trips }, times, inTrips),
				judged(`${head}: requests`, cost.requests, { most: target.requests }, requests),
			]
		: [
				{ what: fasterThan, measured: `${times(faster)} (${both})` },
				{
					what: `${head}: of the bound`,
					measured: `${times(bound)} (${inTrips}), ${requests(cost.requests)}`,
				},
			];
	return [
		...lines,
		{
			what: `${head}: of n8n's helper alone, ${PARALLEL} at once`,
			measured: `${times(race.ratio('ours', 'helper'))} (${against(race, 'ours', 'helper')}), processor time ${times(race.ratio('ours', 'helper', 'cpu'))}`,
		},
		{
			what: `${head}: of bare axios, ${PARALLEL} at once`,
			measured: `${times(race.ratio('ours', 'bareAxios'))} (${milliseconds(race.ms('bareAxios'))})`,
		},
	];
}

export const customers: Row = {
	name: 'customers',
	title: 'All customers',
	run: async (bench) => {
		const sizes = bench.isQuick ? [QUICK] : bench.isFull ? FULL : [TARGETED];
		const lines: Line[] = [];
		for (const size of sizes) {
			bench.progress(`${count(size.customers)} customers at ${size.latency} ms`);
			lines.push(...(await listAll(bench, size)));
		}
		return lines;
	},
};
