import { log, output } from '../engine';
import { useNode } from '../useNode';
import { events } from './asking';

/** The reader of lists, seen from outside: the real node and what the model leaves open of pages. */

const { sandbox, run } = useNode({}, { clock: '2026-03-01T12:00:00Z' });

const all = { ...events, returnAll: true };

test('a list that is refused behind a page is handed over, and the log counts what is missing', async () => {
	sandbox.addEvents(330);
	sandbox.fault({
		...{ on: 'webhookEvents', times: Infinity, status: 400 },
		when: ({ body }) => JSON.stringify(body).includes('"page":3'),
	});
	expect(output(await run(all))).toHaveLength(200);
	expect(log.lines.filter((line) => /counts 330 rows .* gave out 200/.test(line))).toHaveLength(1);
});
