import { output } from '../engine';
import { Service } from './service';
import { Subject } from './subject';
import { ACTION } from './subject';
async function main() {
	const subject = Subject.copy(undefined, undefined);
	const service = await Service.start();
	try {
		await service.fresh({ customers: 20000, settings: { latency: 20 } });
		for (let i = 0; i < 4; i++) {
			const credentials = i < 3 ? await service.newMerchant() : await service.credentials();
			if (i === 3)
				output(
					await subject.engine.run({
						nodeType: ACTION,
						credentials,
						parameters: { resource: 'customer', operation: 'getAll', returnAll: true },
					}),
				);
			const at = performance.now();
			(globalThis as any).LOG = [];
			const rows = output(
				await subject.engine.run({
					nodeType: ACTION,
					credentials,
					parameters: { resource: 'customer', operation: 'getAll', returnAll: true },
				}),
			).length;
			console.log(
				rows,
				Math.round(performance.now() - at),
				(globalThis as any).LOG.map((l: any) => l.join('/')).join(' '),
			);
		}
	} finally {
		service.close();
		subject.remove();
	}
}
void main();
