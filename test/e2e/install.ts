import { provision } from './provision';
import { RUNTIME } from './testbed';

/** On its own, so that an n8n that cannot be installed is not taken for a test that fails. */
provision(RUNTIME, (line) => process.stdout.write(`${line}\n`)).catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});
