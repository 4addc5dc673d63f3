import axios from 'axios';
import { type Inbox, startInbox } from './inbox';

/** The demo's inbox outlives a restart of the demo. */

let inbox: Inbox | undefined;
afterEach(async () => await inbox?.close());

test('keeps what it has received, with the time, over a restart', async () => {
	const before = await startInbox({ web: 0, smtp: 0 });
	await axios.post(before.url, { text: 'Payment failed: <b>$25.00</b>' });
	const kept = before.kept();
	await before.close();

	inbox = await startInbox({ web: 0, smtp: 0, kept });
	expect(inbox.alerts).toEqual(['Payment failed: <b>$25.00</b>']);
	const { data } = await axios.get<string>(inbox.url);
	expect(data).toContain('Payment failed: &lt;b&gt;$25.00');
	expect(data).toMatch(/<time>\w+ \d+, \d{4}, \d+:\d\d:\d\d.[AP]M<\/time>/);
	await axios.post(inbox.url, { text: 'Another' });
	expect(inbox.alerts).toHaveLength(2);
});
