import { useClock, clock } from './processes';
import { ACTIONS, World } from './smallWorld';
useClock();
const names = (process.env.DO ?? '').split('; ');
test('debug', async () => {
	const world = new World();
	for (const name of names) {
		const action = ACTIONS.find((each) => each.name === name);
		if (!action) throw new Error(name);
		await world.act(action);
		console.log(
			name,
			world.faults,
			new Date(clock.now()).toISOString(),
			world.gateway.rows.map(
				({ kind, transaction, at }) =>
					`${kind} ${transaction} ${((clock.now() - at) / 86400000).toFixed(3)}`,
			),
			world.store.namesFrom(clock.now()),
		);
	}
	await world.getStatus('A');
	console.log(world.faults);
});
