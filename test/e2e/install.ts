import { provision } from './provision';
import { RUNTIME, say } from './testbed';

/** A separate command, so that a failed installation is not reported as a failed test. */
void provision(RUNTIME, say);
