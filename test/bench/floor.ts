import { Agent } from 'node:http';

import axios from 'axios';

import type { Service } from './service';

/** The floor: axios with kept connections and nothing around it. */
export async function floor(service: Service) {
	const { url, credentials } = await service.tell({});
	const agent = new Agent({ keepAlive: true });
	const http = axios.create({
		baseURL: `${url}/api/gateway`,
		httpAgent: agent,
		headers: { token: credentials.headerToken },
	});
	const { groupID, privateToken: token } = credentials;
	return {
		call: async <T>(endpoint: string, data: object): Promise<T> =>
			(await http.post<T>(`/${endpoint}`, { groupID, token, data })).data,
		customers: async <T>(endpoint: 'customers' | 'customer', data: object): Promise<T> =>
			(await http.post<T>(`/${endpoint}`, { data })).data,
		close: () => agent.destroy(),
	};
}

/** Runs tasks several at once, in order. */
export async function inParallel<T>(
	tasks: ReadonlyArray<() => Promise<T>>,
	parallel: number,
): Promise<T[]> {
	const results: T[] = [];
	let next = 0;
	const worker = async () => {
		while (next < tasks.length) {
			const index = next++;
			const task = tasks[index];
			if (task) results[index] = await task();
		}
	};
	await Promise.all(Array.from({ length: parallel }, worker));
	return results;
}
