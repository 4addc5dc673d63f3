import { existsSync } from 'node:fs';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { OWNER } from './instance';

/**
 * n8n's editor in Chromium, used as a person uses it: by what stands on the screen. Fills in forms,
 * opens pickers, runs nodes, reads outputs and errors, and takes pictures.
 */

interface EditorOptions {
	/** Of the instance. */
	url: string;
	theme?: 'light' | 'dark' | undefined;
	height?: number;
}

const ALONE = [
	'--no-sandbox',
	'--disable-gpu',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** CHROMIUM_PATH, or where Linux distributions put Chromium. */
function findChromium(): string {
	const found = process.env.CHROMIUM_PATH ?? PLACES.find((place) => existsSync(place));
	if (found === undefined) throw new Error('No Chromium found: name one with CHROMIUM_PATH');
	return found;
}

/** Of something in the page. */
interface Box {
	left: number;
	top: number;
	right: number;
	bottom: number;
}

interface Drawn {
	checkVisibility(): boolean;
	getBoundingClientRect(): { toJSON(): Box };
}

const id = (name: string) => `[data-test-id="${name}"]`;

function beginning(text: string, rest = ''): RegExp {
	return new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}${rest}`);
}

function exactly(text: string): RegExp {
	return beginning(text, '\\s*$');
}

export async function openEditor(options: EditorOptions): Promise<Editor> {
	const { url, theme = 'light', height = 900 } = options;
	const browser = await chromium.launch({ executablePath: findChromium(), args: ALONE });
	try {
		const context = await browser.newContext({
			viewport: { width: 1400, height },
			colorScheme: theme,
		});
		const page = await context.newPage();
		// The first page that a new n8n serves can take long on a busy machine.
		page.setDefaultTimeout(45_000);
		await page.goto(`${url}/signin`);
		await page.fill('input[name="emailOrLdapLoginId"]', OWNER.email);
		await page.fill('input[name="password"]', OWNER.password);
		await page.click(id('form-submit-button'));
		await page.waitForURL((address) => !address.pathname.startsWith('/signin'));
		return new Editor(url, browser, page);
	} catch (error) {
		await browser.close();
		throw error;
	}
}

export class Editor {
	constructor(
		readonly url: string,
		private readonly browser: Browser,
		/** For what this class has no name for. */
		readonly page: Page,
	) {}

	async close(): Promise<void> {
		await this.browser.close();
	}

	// The canvas

	async openWorkflow(workflowId: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflowId}`);
		await this.page.locator(id('canvas-node')).first().waitFor();
		await this.settle();
	}

	async newWorkflow(): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.page.locator(id('canvas-wrapper')).waitFor();
		await this.settle();
	}

	/** Zooms until the whole workflow is to be seen. */
	async fit(): Promise<void> {
		await this.page.locator(id('zoom-to-fit')).click();
		await this.settle();
	}

	node(name: string): Locator {
		return this.page.locator(`${id('canvas-node')}[data-node-name="${name}"]`);
	}

	/** Whether n8n marks a node on the canvas as one with something to correct. */
	async hasIssues(name: string): Promise<boolean> {
		return (await this.node(name).locator(id('node-issues')).count()) > 0;
	}

	/** Opens the panel of nodes, if it is not open, and types; answers the names that it lists. */
	async findNodes(words: string): Promise<string[]> {
		const search = this.page.locator(id('node-creator-search-bar'));
		if (!(await search.isVisible())) {
			await this.page.locator(id('node-creator-plus-button')).click();
		}
		return await this.found(words);
	}

	/** The same for the tools of an agent, from the plus sign below it. */
	async findTools(agent: string, words: string): Promise<string[]> {
		const handle = this.node(agent).locator('[data-handleid="inputs/ai_tool/0"]').first();
		await handle.locator(id('canvas-handle-plus')).first().click();
		return await this.found(words);
	}

	private async found(words: string): Promise<string[]> {
		await this.page.locator(id('node-creator-search-bar')).fill(words);
		await this.settle();
		return await this.page.locator(id('node-creator-item-name')).allInnerTexts();
	}

	/** In the open panel of nodes: a node, or one of its actions. */
	async choose(name: string): Promise<void> {
		await this.page
			.locator(id('node-creator-item-name'))
			.filter({ hasText: exactly(name) })
			.click();
		await this.settle();
	}

	/** In the open panel of nodes: where the icons come from, of those that are really shown. */
	async icons(): Promise<string[]> {
		const images = this.page.locator(`${id('node-creator-action-item')} img`);
		await images.first().waitFor();
		return await images.evaluateAll((all: Array<{ naturalWidth: number; src: string }>) =>
			all.filter(({ naturalWidth }) => naturalWidth > 0).map(({ src }) => src),
		);
	}

	/** What the chosen node can do and start on, in the order of the alphabet. */
	async actions(): Promise<string[]> {
		await this.page.getByText(/^Actions \(\d+\)/).click();
		await this.settle();
		return (await this.page.locator(id('node-creator-item-name')).allInnerTexts()).sort();
	}

	/** Writes to a workflow that starts from its chat; opens the chat first where it is closed. */
	async chat(words: string): Promise<void> {
		const input = this.page.locator(`textarea${id('chat-input')}`);
		if (!(await input.isVisible())) await this.page.locator(id('workflow-chat-button')).click();
		await input.fill(words);
		await this.page.keyboard.press('Enter');
	}

	// A node's form

	async openNode(name: string): Promise<void> {
		await this.node(name).dblclick();
		await this.form.waitFor();
		await this.settle();
	}

	get form(): Locator {
		return this.page.locator(id('node-parameters'));
	}

	/** What stands above the fields of the open form, from its top. */
	async labels(among = /./): Promise<string[]> {
		const texts = await this.form.locator(id('input-label')).allInnerTexts();
		// What is chosen, or a switch under the pointer, stands on lines of its own behind the label.
		const labels = texts.map((text) => text.trim().split('\n')[0] ?? '');
		return labels.filter((label) => among.test(label));
	}

	/** A field by its name; the last one where a list holds several. */
	field(name: string): Locator {
		// Of a field that is named "field", n8n's text inputs would carry the name too.
		return this.page.locator(`${id(`parameter-input-${name}`)}:not(input, textarea)`).last();
	}

	private input(name: string): Locator {
		return this.field(name).locator('input, textarea').last();
	}

	/** What a field for text or a number says. */
	async value(name: string): Promise<string> {
		return await this.input(name).inputValue();
	}

	/** Replaces what a field says by typing, key by key. */
	async type(name: string, words: string): Promise<void> {
		const input = this.input(name);
		await input.fill('');
		await input.pressSequentially(words, { delay: 20 });
		await input.blur();
		await this.settle(200);
	}

	/** Sets a field as a click or pasting does: text, or a choice by its label. */
	async set(name: string, value: string): Promise<void> {
		const field = this.field(name);
		await field.scrollIntoViewIfNeeded();
		if ((await field.locator('.el-select').count()) > 0) {
			await field.click();
			await this.pickFromMenu(value);
		} else {
			const input = this.input(name);
			await input.fill(value);
			await input.blur();
		}
		await this.settle(200);
	}

	/** "Add Field" and its like: adds one of a collection's fields. */
	async add(collection: string, option: string): Promise<void> {
		const label = this.page.locator(id('input-label')).filter({ hasText: exactly(collection) });
		const section = this.page.locator(id('parameter-item')).filter({ has: label }).last();
		await section.locator(id('collection-parameter-add')).last().click();
		await this.pickFromMenu(option);
		await this.settle(200);
	}

	/** The button of a group, such as "Add Line Item". */
	async press(button: string): Promise<void> {
		await this.form.getByRole('button', { name: button, exact: true }).last().click();
		await this.settle(200);
	}

	/** What a picker lists, after a search when there are words for one. */
	async list(locator: string, words = ''): Promise<string[]> {
		const picker = this.page.locator(id(`resource-locator-${locator}`)).last();
		const search = this.page.locator(id('rlc-search')).last();
		if (!(await search.isVisible().catch(() => false))) {
			await picker.locator(id('rlc-input')).click();
		}
		await this.settle(600);
		if (words !== '') {
			await search.fill(words);
			await this.settle(1500);
		}
		const texts = await this.page.locator(`${id('rlc-item')}:visible`).allInnerTexts();
		return texts.map((text) => text.trim());
	}

	/** Picks the first row of an open picker that has these words. */
	async pick(words: string): Promise<void> {
		const rows = this.page.locator(`${id('rlc-item')}:visible`).filter({ hasText: words });
		await rows.first().click();
		await this.settle();
	}

	// What comes out

	/** Executes the open node and waits for what comes of it. */
	async execute(): Promise<void> {
		await this.page.locator(id('node-execute-button')).click();
		await this.settle(500);
		const running = this.page.locator('.el-loading-mask:visible, [data-icon="spinner"]:visible');
		const ended = running.first().waitFor({ state: 'hidden', timeout: 60_000 });
		await ended.catch(() => undefined);
		await this.settle();
	}

	/** What the output side of the open node says, as text: a table or an error. */
	async output(): Promise<string> {
		const panel = this.page.locator(id('output-panel'));
		const button = panel.locator(id('radio-button-table'));
		// An error has no views to choose from, although the buttons stay behind it.
		if ((await button.count()) > 0 && (await this.error()) === undefined) await button.click();
		await this.settle();
		return (await panel.innerText()).trim();
	}

	/** The error of the open node: its title and what stands below. */
	async error(): Promise<{ title: string; description: string } | undefined> {
		const title = this.page.locator(id('node-error-message'));
		if ((await title.count()) === 0) return undefined;
		const description = this.page.locator(id('node-error-description'));
		return {
			title: (await title.first().innerText()).trim(),
			description: (await description.count())
				? (await description.first().innerText()).trim()
				: '',
		};
	}

	// Credentials

	/** From an open node's form to its credential's. */
	async openCredential(): Promise<void> {
		await this.toCredential(this.page.locator(id('credential-edit-button')));
	}

	/** From the form of a node that has none yet, where there is no other to choose. */
	async newCredential(): Promise<void> {
		const nothing = this.page.locator(id('node-credentials-empty-state'));
		await this.toCredential(nothing.getByRole('button'));
	}

	private async toCredential(button: Locator): Promise<void> {
		await button.click();
		await this.page.locator(id('credential-edit-dialog')).waitFor();
		await this.settle();
	}

	/** Saves a new one, which tests it; the form closes when the test says yes. */
	async saveNewCredential(): Promise<void> {
		await this.page.locator(id('credential-save-button')).click();
		await this.page.locator(id('credential-edit-dialog')).waitFor({ state: 'hidden' });
		await this.settle();
	}

	/** Saves the open credential, which tests it; answers what the form then says. */
	async saveCredential(): Promise<string> {
		const tested = this.page.waitForResponse(/\/rest\/credentials\/test$/);
		await this.page.locator(id('credential-save-button')).click();
		await tested;
		return await this.credentialVerdict();
	}

	async credentialVerdict(): Promise<string> {
		await this.settle(1500);
		const dialog = this.page.locator(id('credential-edit-dialog'));
		const details = dialog.getByText('More details', { exact: true });
		if (await details.isVisible()) {
			await details.click();
			await this.settle();
		}
		// The words of the other verdict stay in the page, hidden.
		const verdict = dialog.locator('.el-tag--success:visible, .el-tag--danger:visible').first();
		return (await verdict.innerText()).replace(/\s*Retry\s*/, '\n').trim();
	}

	// Pictures

	async screenshot(path: string): Promise<void> {
		await this.settle();
		await this.page.screenshot({ path });
	}

	/** The workflow alone, cut out of the editor around it. Call `fit` first. */
	async screenshotCanvas(path: string): Promise<void> {
		const around = [
			`${id('canvas-wrapper')} > :not(:first-child)`,
			'.vue-flow__panel',
			id('canvas-node-toolbar'),
			'.vue-flow__node button',
		];
		await this.page.addStyleTag({ content: `${around.join(', ')} { display: none }` });
		await this.page.mouse.move(0, 0);
		await this.settle();
		const drawn = this.page.locator('.vue-flow__node, .vue-flow__node *, .vue-flow__edge-path');
		const seen = await drawn.evaluateAll((all: Drawn[]) =>
			all
				.filter((each) => each.checkVisibility())
				.map((each) => each.getBoundingClientRect().toJSON()),
		);
		const edge = 16;
		const x = Math.min(...seen.map(({ left }) => left)) - edge;
		const y = Math.min(...seen.map(({ top }) => top)) - edge;
		const width = Math.max(...seen.map(({ right }) => right)) + edge - x;
		const height = Math.max(...seen.map(({ bottom }) => bottom)) + edge - y;
		await this.page.screenshot({ path, clip: { x, y, width, height } });
	}

	/** Until nothing is being loaded, and what moves has come to rest. */
	async settle(milliseconds = 400): Promise<void> {
		await this.page.waitForLoadState('networkidle', { timeout: 1000 }).catch(() => undefined);
		await this.page.waitForTimeout(milliseconds);
	}

	private async pickFromMenu(label: string): Promise<void> {
		await this.page
			.locator(
				'.el-select-dropdown__item:visible, [role="option"]:visible, [role="menuitem"]:visible',
			)
			.filter({ hasText: beginning(label) })
			.first()
			.click();
	}
}
