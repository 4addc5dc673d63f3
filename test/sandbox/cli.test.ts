import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import axios from 'axios';

/** Runs `npm run sandbox` as a process of its own, as a person in a terminal does. */

let child: ChildProcess;
afterEach(() => child.kill('SIGKILL'));

function run(...args: string[]) {
	const started = spawn(
		process.execPath,
		['--import', 'tsx', path.join(__dirname, 'cli.ts'), ...args],
		{ cwd: path.join(__dirname, '..', '..') },
	);
	child = started;
	const said = { stdout: '', stderr: '' };
	started.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()));
	started.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()));
	return { said, ended: once(started, 'close').then(([code]) => code as unknown) };
}

test('prints address, credentials, holdings and a request that works, and ends on SIGTERM', async () => {
	const { said, ended } = run('--port', '0', '--seed');
	while (!said.stdout.includes('curl')) await new Promise((resolve) => setTimeout(resolve, 20));
	expect(said.stdout).toMatch(/Base URL +http:\/\/127\.0\.0\.1:\d+\n/);
	expect(said.stdout).toContain('8 customers, 4 products, 7 paylinks');
	expect(said.stdout).toContain('(INV-2006, expired)');
	const [, url = '', token = '', body = ''] =
		/curl -s (\S+) -H 'token: (\S+)' .* -d '(.*)'/.exec(said.stdout) ?? [];
	const answer = await axios.post(url, JSON.parse(body), { headers: { token } });
	expect(answer.data.data).toHaveLength(3);
	child.kill('SIGTERM');
	expect(await ended).toBe(0);
});

test('refuses what it does not know with the usage', async () => {
	const { said, ended } = run('--prt', '1');
	expect([await ended, said.stdout]).toEqual([1, '']);
	expect(said.stderr).toMatch(/--prt[^]*Usage: npm run sandbox/);
});
