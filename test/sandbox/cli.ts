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
  --help            print this
`;

function introduction(sandbox: Sandbox): string {
	const { url, credentials, customers, products, paylinks, events, carts } = sandbox;
	const counts = `${customers.length} customers, ${products.length} products, ${paylinks.length} paylinks, ${events.length} events`;
	const links = paylinks.map((paylink) => {
		const about = `${paylink.referenceID}, ${standingOf(paylink, sandbox)}`;
		return `\n  Paylink       ${paylink.url} (${about})`;
	});
	const order = carts.slice(-1).map((cart) => {
		const total = dollars(computeCart(cart).breakdown.total);
		return `\n  Payment data  ${cart.paymentData}\n                (${cart.referenceID}, ${total})`;
	});
	return `Payments gateway sandbox: ${url}
No money moves. Nothing is kept after it stops (Ctrl-C).

Credential in n8n ("Payments Gateway API")
  Environment     Sandbox
  Base URL        ${url}
  Group ID        ${credentials.groupID}
  Header Token    ${credentials.headerToken}
  Private Token   ${credentials.privateToken}

Holds ${counts}.${links.join('')}${order.join('')}

Discount codes          ${Object.keys(discountCodes).join(', ')}
Declined card token     ${DECLINED_CARD_TOKEN} (on the payment page: 4000 0000 0000 0002)
Declined bank account   ${DECLINED_ACCOUNT_NUMBER}

Try it:
  curl -s ${url}/api/gateway/customers -H 'token: ${credentials.headerToken}' -H 'Content-Type: application/json' -d '{"data":{"page":{"pageSize":3}}}'
`;
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '4010' },
			host: { type: 'string', default: '127.0.0.1' },
			seed: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) {
		process.stdout.write(usage);
		return;
	}
	const sandbox = await startSandbox({ ...values, port: Number(values.port) });
	process.stdout.write(introduction(sandbox));
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => void sandbox.close().then(() => process.exit(0)));
	}
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
	process.exit(1);
});
