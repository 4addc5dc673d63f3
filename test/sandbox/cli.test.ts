import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import axios from 'axios';

/** Runs `npm run sandbox` as a process of its own, as a person in a terminal does. */

const started = new Set<ChildProcess>();
afterEach(() => {
	for (const child of started) child.kill('SIGKILL');
	started.clear();
});

function run(...args: string[]) {
	const child = spawn(
		process.execPath,
		['--import', 'tsx', path.join(__dirname, 'cli.ts'), ...args],
		{ cwd: path.join(__dirname, '..', '..') },
	);
	started.add(child);
	const output = { stdout: '', stderr: '' };
	child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
	child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
	const ended = once(child, 'close').then(([code]) => ({ code, ...output }));
	return { child, output, ended };
}

test('prints address, credentials, holdings and a request that works, and ends on SIGTERM', async () => {
	const { child, output, ended } = run('--port', '0', '--seed');
	while (!output.stdout.includes('curl')) await once(child.stdout, 'data');
	expect(output.stdout).toMatch(/Base URL +http:\/\/127\.0\.0\.1:\d+\n/);
	expect(output.stdout).toContain('25 customers, 4 products, 7 paylinks');
	expect(output.stdout).toContain('(INV-2006, expired)');
	const [, url = '', token = '', body = ''] =
		/curl -s (\S+) -H 'token: (\S+)' .* -d '(.*)'/.exec(output.stdout) ?? [];
	const answer = await axios.post(url, JSON.parse(body), { headers: { token } });
	expect(answer.data.data).toHaveLength(3);
	child.kill('SIGTERM');
	expect((await ended).code).toBe(0);
});

test.each([
	[['--prt', '1'], /--prt/],
	[['--port', '70000'], /port.*65536/],
	[['extra'], /extra/],
])('refuses %j with the usage', async (args, message) => {
	const { code, stdout, stderr } = await run(...args).ended;
	expect([code, stdout]).toEqual([1, '']);
	expect(stderr).toMatch(message);
	expect(stderr).toContain('Usage: npm run sandbox');
});
