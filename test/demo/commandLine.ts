import { parseArgs } from 'node:util';

/** What can be typed behind `npm start` and `npm run dev`. */

export const DEFAULT_PORT = 5678;
/** n8n, its task runner, the sandbox, the inbox's page and mail server, and the agent's chat model. */
export const PORTS = [0, 1, 2, 3, 4, 5] as const;

const usage = `Usage: npm start -- [--port <number>] [--reset]
       npm start -- --remove
       npm run dev -- [--port <number>] [--reset]

Starts a real n8n with this package, a sandbox of the gateway, and an inbox for emails and alerts.
As "npm run dev", with data of its own, each save builds the package and n8n loads it again.

  --port <number>   where the editor is; the ${PORTS.length - 1} ports after it are used too (default ${DEFAULT_PORT}).
                    Each port has data of its own. A browser is logged in to one of them at a time:
                    open the second in a private window
  --reset           forget workflows, executions, customers, payments and emails of earlier starts
  --remove          delete n8n and the data of all demos (about 3 GB), and start nothing
  --help            print this`;

/** An error that the user can do something about; it is shown without a stack. */
export class UserError extends Error {}

export type Options = ReturnType<typeof readOptions>;

export function readOptions() {
	const flag = { type: 'boolean', default: false } as const;
	const port = { type: 'string', default: String(DEFAULT_PORT) } as const;
	const options = { port, reset: flag, remove: flag, dev: flag, help: flag };
	let values;
	try {
		({ values } = parseArgs({ options }));
	} catch (error) {
		throw new UserError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
	}
	if (values.help) {
		process.stdout.write(`${usage}\n`);
		process.exit(0);
	}
	const number = Number(values.port);
	const most = 65_536 - PORTS.length;
	if (!Number.isInteger(number) || number < 1024 || number > most) {
		const range = `a number from 1024 to ${most}`;
		throw new UserError(`--port must be ${range}, not "${values.port}"\n\n${usage}`);
	}
	return { ...values, port: number, isDev: values.dev };
}

/** As it is typed, so that it can be copied. */
export function command({ port, isDev }: Options, ...more: string[]): string {
	const given = port === DEFAULT_PORT ? more : ['--port', String(port), ...more];
	const start = isDev ? 'npm run dev' : 'npm start';
	return given.length > 0 ? [start, '--', ...given].join(' ') : start;
}
