import { format, resolveConfig } from 'prettier';

/** The first column is left-aligned, the others right-aligned. */
export function table(head: readonly string[], body: ReadonlyArray<readonly string[]>): string {
	const alignments = head.map((_, column) => (column === 0 ? '---' : '--:'));
	return [head, alignments, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Formatted with prettier, which `npm run lint` checks. */
export async function formattedPage(paragraphs: readonly string[], file: string): Promise<string> {
	const config = await resolveConfig(file);
	return await format(paragraphs.join('\n\n'), { ...config, parser: 'markdown' });
}
