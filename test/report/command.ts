/** How a command that writes a report begins and ends. */

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Reads what was asked for, or says how to ask and ends with 2; then ends as the work says. */
export function command<Asked>(
	usage: string,
	read: () => Asked,
	work: (asked: Asked) => Promise<number>,
): void {
	const ended = (code: number, words: string): never => {
		process.stderr.write(`${words}\n`);
		return process.exit(code);
	};
	let asked: Asked;
	try {
		asked = read();
	} catch (error) {
		return ended(2, `${wordsOf(error)}\n\n${usage}`);
	}
	work(asked).then(
		(code) => process.exit(code),
		(error: unknown) => ended(1, `\n${wordsOf(error)}`),
	);
}
