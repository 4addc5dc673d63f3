// Ends a process and its group once whoever started this script is gone. Standard input is a pipe
// from there, which closes whatever ended the other side, a SIGKILL too.
const GRACE = 3_000;
const leader = Number(process.argv[2]);

function signal(to, name) {
	try {
		process.kill(to, name);
	} catch {
		// It has ended in the meantime.
	}
}

process.stdin.resume().once('close', () => {
	signal(leader, 'SIGTERM');
	setTimeout(() => signal(-leader, 'SIGKILL'), GRACE);
});
