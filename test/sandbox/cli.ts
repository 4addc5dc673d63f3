import { parseArgs } from 'node:util';
import { computeCart, discountCodes } from './cart';
import { dollars } from './money';
import { standingOf } from './paylink';
import { DECLINED_ACCOUNT_NUMBER, DECLINED_CARD_TOKEN } from './paymentMethod';
import { type Sandbox, startSandbox } from './index';

/**
 * `npm run sandbox`: starts the sandbox in a terminal and prints its address and credentials. It
 * runs until it is stopped.
 */

const usage = `Usage: npm run sandbox -- [--port <number>] [--host <address>] [--seed]

Starts a stand-in of the payments gateway on this machine. No money moves.

  --port <number>   the port to listen on (default 4010; 0 takes any free one)
  --host <address>  where to listen (default 127.0.0.1; 0.0.0.0 inside a container)
  --seed            begin with customers, products, paylinks and a history of events
  --help            print this`;

function fail(message: string): never {
	process.stderr.write(`${message}\n`);
	process.exit(1);
}

function said(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

function readArguments(): { port: number; host: string; seed: boolean } {
	try {
		const { values } = parseArgs({
			options: {
				port: { type: 'string', default: '4010' },
				host: { type: 'string', default: '127.0.0.1' },
				seed: { type: 'boolean', default: false },
				help: { type: 'boolean', default: false },
			},
		});
		if (values.help) {
			process.stdout.write(`${usage}\n`);
			process.exit(0);
		}
		const port = Number(values.port);
		if (!/^\d{1,5}$/.test(values.port ?? '') || port > 65535) {
			throw new Error(`--port must be a number from 0 to 65535, not "${values.port}"`);
		}
		return { port, host: values.host, seed: values.seed };
	} catch (error) {
		return fail(`${said(error)}\n\n${usage}`);
	}
}

function holdings(sandbox: Sandbox): string {
	const { customers, products, paylinks, events, carts } = sandbox;
	const counts = [
		[customers.length, 'customers'],
		[products.length, 'products'],
		[paylinks.length, 'paylinks'],
		[events.length, 'events'],
	].map(([count, name]) => `${count} ${name}`);
	const lines = [`Holds ${counts.join(', ')}.`];
	const [customer] = customers;
	if (customer) lines.push(`  Customer      ${customer.id} (${customer.nameOnCard})`);
	for (const product of products) {
		lines.push(`  Product       ${product.id} (${product.name}, ${dollars(product.price)})`);
	}
	for (const paylink of paylinks) {
		const standing = standingOf(paylink, sandbox);
		lines.push(`  Paylink       ${paylink.url} (${paylink.referenceID}, ${standing})`);
	}
	const cart = carts.at(-1);
	if (cart) {
		const total = dollars(computeCart(cart).breakdown.total);
		lines.push(
			`  Payment data  ${cart.paymentData}`,
			`                (${cart.referenceID}, ${total})`,
		);
	}
	return lines.join('\n');
}

function introduction(sandbox: Sandbox): string {
	const { url, credentials } = sandbox;
	return `Payments gateway sandbox: ${url}
No money moves. Nothing is kept after it stops (Ctrl-C).

Credential in n8n ("Payments Gateway API")
  Environment     Sandbox
  Base URL        ${url}
  Group ID        ${credentials.groupID}
  Header Token    ${credentials.headerToken}
  Private Token   ${credentials.privateToken}

${holdings(sandbox)}

Discount codes          ${Object.keys(discountCodes).join(', ')}
Declined card token     ${DECLINED_CARD_TOKEN} (on the payment page: 4000 0000 0000 0002)
Declined bank account   ${DECLINED_ACCOUNT_NUMBER}

Try it:
  curl -s ${url}/api/gateway/customers -H 'token: ${credentials.headerToken}' -H 'Content-Type: application/json' -d '{"data":{"page":{"pageSize":3}}}'
`;
}

async function main(): Promise<void> {
	const { port, host, seed } = readArguments();
	const sandbox = await startSandbox({ port, host, seed }).catch((error: unknown) => {
		const inUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
		return fail(
			inUse
				? `Port ${port} is in use. Choose another one with --port.`
				: `The sandbox could not start: ${said(error)}`,
		);
	});
	process.stdout.write(introduction(sandbox));
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => {
			void sandbox.close().then(() => process.exit(0));
		});
	}
}

void main();
