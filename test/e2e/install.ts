import { provision } from './provision';
import { RUNTIME } from './testbed';

/** A separate command, so that a failed installation is not reported as a failed test. */
provision(RUNTIME, (line) => process.stdout.write(`${line}\n`)).catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});
