import { format, resolveConfig } from 'prettier';

/** How the reports write their tables and pages. */

/** The first column stands left, figures right. */
export function table(head: readonly string[], body: ReadonlyArray<readonly string[]>): string {
	const alignments = head.map((_, column) => (column === 0 ? '---' : '--:'));
	return [head, alignments, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Paragraphs as the repository wants its documents, or its own check would refuse the file. */
export async function page(paragraphs: readonly string[], file: string): Promise<string> {
	const config = await resolveConfig(file);
	return await format(paragraphs.join('\n\n'), { ...config, parser: 'markdown' });
}
