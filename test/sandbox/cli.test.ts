import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import axios from 'axios';

/** Runs `npm run sandbox` as a process of its own, as a person in a terminal does. */

const args = ['--import', 'tsx', path.join(__dirname, 'cli.ts'), '--port', '0', '--seed'];

test('prints address, credentials, holdings and a request that works, and ends on SIGTERM', async () => {
	const child = spawn(process.execPath, args);
	const ended = once(child, 'close');
	let said = '';
	child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
	try {
		while (!said.includes('curl')) await once(child.stdout, 'data');
		expect(said).toMatch(/Base URL +http:\/\/127\.0\.0\.1:\d+\n/);
		expect(said).toContain('8 customers, 4 products, 7 paylinks');
		expect(said).toContain('(INV-2006, expired)');
		const [, url = '', token = '', body = ''] =
			/curl -s (\S+) -H 'token: (\S+)' .* -d '(.*)'/.exec(said) ?? [];
		const answer = await axios.post(url, JSON.parse(body), { headers: { token } });
		expect(answer.data.data).toHaveLength(3);
		child.kill('SIGTERM');
		expect(await ended).toEqual([0, null]);
	} finally {
		child.kill('SIGKILL');
	}
});
