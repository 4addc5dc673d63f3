import { parseArgs } from 'node:util';
import { computeCart, dollars } from './cart';
import { startSandbox } from '.';
import { BANK_CAPTURES_AFTER, testMethods } from './testMethods';

/**
 * Starts the sandbox in a terminal and prints its address and credentials:
 * npm run sandbox [-- --port 4010 --seed]
 *
 *   --port <number>   the port to listen on (default 4010; 0 takes any free one)
 *   --seed            begin with customers, products, paylinks and a history of events
 */

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '4010' },
			seed: { type: 'boolean', default: false },
		},
	});
	const sandbox = await startSandbox({ ...values, port: Number(values.port) });
	sandbox.settings.bankCapturesAfter = BANK_CAPTURES_AFTER;
	const { url, credentials, customers, paylinks, events, carts } = sandbox;
	// The seed's last cart is unpaid; without the seed there is none.
	const unpaidCart = carts.slice(-1).map((cart) => {
		const total = dollars(computeCart(cart).breakdown.total);
		return `\nPayment data to charge (${cart.referenceID}, ${total})\n  ${cart.paymentData}\n`;
	});
	process.stdout.write(`Payments gateway sandbox: ${url}
No money moves. Ctrl-C stops it, and everything in it is gone.

Credential in n8n ("Payments Gateway API")
  Environment     Sandbox
  Base URL        ${url}
  Group ID        ${credentials.groupID}
  Header Token    ${credentials.headerToken}
  Private Token   ${credentials.privateToken}

${testMethods()}

${customers.length} customers, ${events.length} events, ${paylinks.length} paylinks (the front page lists them)
${unpaidCart.join('')}
Try it:
  curl -s ${url}/api/gateway/customers -H 'token: ${credentials.headerToken}' -H 'Content-Type: application/json' -d '{"data":{"page":{"pageSize":3}}}'
`);
}

main().catch((error: unknown) => {
	process.stderr.write(`${String(error)}\n`);
	process.exit(1);
});
