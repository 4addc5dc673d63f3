import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';

/** Worthless: it names this machine alone, and only tests trust it. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgs+mSgH+qRgAmgt1n
c9ozTbWKzK1YvYCCexoqCB6SpOehRANCAASeuSlOAqRtrCreKvi6c9DwzFAt5ZVV
Ae4L70Y/4+kK32u/HrLoE1tT9Q6BlCzzDsBANx8oL66xf6wdfTjOQcP1
-----END PRIVATE KEY-----`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUVNYjHK6HcB4uf++lsf1sg2BI2zgwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE0MTczNVoYDzIxMjYxMDI4
MTQxNzM1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASeuSlOAqRtrCreKvi6c9DwzFAt5ZVVAe4L70Y/4+kK32u/HrLoE1tT
9Q6BlCzzDsBANx8oL66xf6wdfTjOQcP1o28wbTAdBgNVHQ4EFgQUN2G1JPsiEQsj
x7EQSGoa+FU0daAwHwYDVR0jBBgwFoAUN2G1JPsiEQsjx7EQSGoa+FU0daAwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAOJS9r3d3yOIF36LW7iztXCsegV37q0jICO5hgMsM5uAAiA7
HoAOZHPwdFuTxUyRtTsB9ba+cCUzoiTSJMDeOJ8CHg==
-----END CERTIFICATE-----`;

/** A door over TLS before the sandbox, as production needs it. Its URL. */
export async function openFront(target: string): Promise<string> {
	const { hostname: host, port } = new URL(target);
	const server = tls.createServer({ key, cert }, (incoming) => {
		const outgoing = net.connect({ host, port: Number(port) });
		// Nobody has to close what a client keeps alive.
		for (const socket of [incoming, outgoing]) socket.unref();
		incoming.on('error', () => outgoing.destroy()).pipe(outgoing);
		outgoing.on('error', () => incoming.destroy()).pipe(incoming);
	});
	server.listen(0, '127.0.0.1').unref();
	await once(server, 'listening');
	const address = server.address();
	if (typeof address !== 'object' || address === null) throw new Error('No port to listen on');
	return `https://127.0.0.1:${address.port}`;
}

/** As NODE_EXTRA_CA_CERTS does, which Node reads at its start alone. Undone by the returned. */
export function trustFront(): () => void {
	const make = tls.createSecureContext;
	const spy = jest
		.spyOn(tls, 'createSecureContext')
		.mockImplementation((options) => make({ ...options, ca: [...tls.rootCertificates, cert] }));
	return () => spy.mockRestore();
}
