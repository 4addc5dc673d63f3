import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/**
 * What is mutated, folder by folder, and the tests that must notice: those that take seconds,
 * without the long random ones, and without tests of the built files or the sources themselves.
 */
const HOUSE = 'nodes/PaymentsGateway';

export const FOLDERS = {
	payment: {
		title: '`resources/payment`',
		mutate: [`${HOUSE}/resources/payment/*.ts`],
		tests: /^resources\/payment\/(?!charge\.storm)/,
		// What is answered is tried side by side, in tests that take seconds.
		env: { CLAIM_RUNS: '30', LOOK_UPS: '40', MUTATION_BUDGET: '8000' },
	},
	trigger: {
		title: '`trigger`',
		mutate: [`${HOUSE}/trigger/!(fields).ts`],
		tests: /^trigger\//,
		// Some of it is tested by the storm alone, which `--again` runs, with what went unnoticed.
		env: { STORM_RUNS: '60', STORM_SEED: '7', MUTATION_BUDGET: '30000' },
	},
	gateway: {
		title: '`gateway`',
		mutate: [`${HOUSE}/gateway/*.ts`],
		tests: /^(gateway|operation)\/|^resources\/(customer|paymentMethod)\//,
		// What it answers to are simulations: of lists, of services with a limit, of many look-ups.
		env: { ODD_LISTS: '30', MOVING_LISTS: '30', MUTATION_BUDGET: '10000' },
	},
	customer: {
		title: '`resources/customer`',
		mutate: [`${HOUSE}/resources/customer/*.ts`],
		tests: /^resources\/customer\//,
	},
	form: {
		title: '`form`, without its fields',
		mutate: [`${HOUSE}/form/*.ts`],
		tests: /^(form|operation)\/|^resources\/(?!payment)|^resources\/payment\/charge\.guards/,
	},
	output: {
		title: '`output`',
		mutate: [`${HOUSE}/output/*.ts`],
		tests: /^output\/|^resources\/event/,
		env: { MASKED_NUMBERS: '20' },
	},
};

/**
 * Whether a change is in the share that is tried: the same ones each time, wherever the file stands.
 * `start` counts lines and columns from 0, as Stryker's runners do; its reports count them from 1.
 */
export function isInSample({ fileName, mutatorName, replacement, start: { line, column } }) {
	const named = [basename(fileName), mutatorName, replacement, { line, column }];
	const text = named.map((part) => JSON.stringify(part)).join();
	const share = createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
	return share < Number(process.env.MUTATION_SAMPLE ?? 1);
}
