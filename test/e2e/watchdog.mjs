// Ends a process group once this script's parent is gone. Stdin is a pipe from the parent; it closes
// when the parent ends, even by SIGKILL.
const GRACE = 3_000;
const leader = Number(process.argv[2]);

function signal(pid, name) {
	try {
		process.kill(pid, name);
	} catch {
		// It has already ended.
	}
}

process.stdin.resume().once('close', () => {
	signal(leader, 'SIGTERM');
	setTimeout(() => signal(-leader, 'SIGKILL'), GRACE);
});
