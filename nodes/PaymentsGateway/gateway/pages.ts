/** Reads the pages of a list in order. After page 1, several are requested ahead of the reader. */

interface PageSource<P> {
	ask: (number: number) => Promise<P>;
	/** The last page to request ahead. It changes with what was read. */
	lastToAsk: () => number;
	/** Whether the gateway may have built this page before the previous one. It is then read once more. */
	isStale: (page: P) => boolean;
}

/** Ends only when the reader stops. By then, no request is in flight, even after an error. */
export async function* readPages<P>(source: PageSource<P>): AsyncGenerator<P, never> {
	const { ask, lastToAsk, isStale } = source;
	/** Pages requested ahead, in order: the first is the one the reader takes next. */
	const inFlight: Array<Promise<P>> = [];
	const read = async (number: number): Promise<P> => {
		for (let ahead = number + inFlight.length; ahead <= lastToAsk(); ahead++) {
			const page = ask(ahead);
			// The error is handled when the reader comes to this page. Node must not report it before.
			page.catch(() => undefined);
			inFlight.push(page);
		}
		return await (inFlight.shift() ?? ask(number));
	};
	try {
		for (let number = 1; ; number++) {
			let page = await read(number);
			if (isStale(page)) {
				// The pages that were requested with it may be as old.
				await Promise.allSettled(inFlight.splice(0));
				page = await read(number);
			}
			yield page;
		}
	} finally {
		await Promise.allSettled(inFlight);
	}
}
