// Ends a process and its group once whoever started this script is gone. Standard input is a pipe
// from there, which closes whatever ended the other side, a SIGKILL too.
import { setTimeout as wait } from 'node:timers/promises';

const GRACE = 3_000;
const leader = Number(process.argv[2]);

/** Whether there was still somebody to signal. */
function signal(to, name) {
	try {
		return process.kill(to, name);
	} catch {
		return false;
	}
}

process.stdin.resume().once('close', async () => {
	signal(leader, 'SIGTERM');
	for (const until = Date.now() + GRACE; signal(leader, 0) && Date.now() < until;) await wait(100);
	signal(-leader, 'SIGKILL');
});
