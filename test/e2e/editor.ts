import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page, selectors } from 'playwright-core';
import { OWNER } from './instance';

/** n8n's editor in Chromium, used as a person uses it: by what stands on the screen. */

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

function beginning(text: string, rest = ''): RegExp {
	return new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}${rest}`);
}

function exactly(text: string): RegExp {
	return beginning(text, '\\s*$');
}

/** Logged in to the n8n at this address. */
export async function openEditor(url: string): Promise<Editor> {
	selectors.setTestIdAttribute('data-test-id');
	const browser = await chromium.launch({ executablePath: findChromium(), args: ALONE });
	try {
		const page = await browser.newPage({ viewport: { width: 1400, height: 1100 } });
		// The first page that a new n8n serves can take long on a busy machine.
		page.setDefaultTimeout(45_000);
		await page.goto(`${url}/signin`);
		await page.fill('input[name="emailOrLdapLoginId"]', OWNER.email);
		await page.fill('input[name="password"]', OWNER.password);
		await page.getByTestId('form-submit-button').click();
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

	/** By n8n's own names for the parts of its editor. */
	private part(name: string): Locator {
		return this.page.getByTestId(name);
	}

	// The canvas

	async openWorkflow(workflowId: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflowId}`);
		await this.part('canvas-node').first().waitFor();
		await this.settle();
	}

	async newWorkflow(): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.part('canvas-wrapper').waitFor();
		await this.settle();
	}

	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** Whether n8n marks a node on the canvas as one with something to correct. */
	async hasIssues(name: string): Promise<boolean> {
		return (await this.node(name).getByTestId('node-issues').count()) > 0;
	}

	// The panel of nodes

	/** Opens the panel, if it is not open, and types; answers the names that it lists. */
	async findNodes(words: string): Promise<string[]> {
		if (!(await this.part('node-creator-search-bar').isVisible())) {
			await this.part('node-creator-plus-button').click();
		}
		return await this.found(words);
	}

	/** The same for the tools of an agent, from the plus sign below it. */
	async findTools(agent: string, words: string): Promise<string[]> {
		const handle = this.node(agent).locator('[data-handleid="inputs/ai_tool/0"]').first();
		await handle.getByTestId('canvas-handle-plus').first().click();
		return await this.found(words);
	}

	private async found(words: string): Promise<string[]> {
		await this.part('node-creator-search-bar').fill(words);
		await this.settle();
		return await this.part('node-creator-item-name').allInnerTexts();
	}

	/** A node, or one of its actions. */
	async choose(name: string): Promise<void> {
		const items = this.part('node-creator-item-name');
		await items.filter({ hasText: exactly(name) }).click();
		await this.settle();
	}

	/** Where the icons come from, of those that are really shown. */
	async icons(): Promise<string[]> {
		const images = this.part('node-creator-action-item').locator('img');
		await images.first().waitFor();
		return await images.evaluateAll((all: Array<{ naturalWidth: number; src: string }>) =>
			all.filter(({ naturalWidth }) => naturalWidth > 0).map(({ src }) => src),
		);
	}

	/** What the chosen node can do and start on, in the order of the alphabet. */
	async actions(): Promise<string[]> {
		await this.page.getByText(/^Actions \(\d+\)/).click();
		await this.settle();
		return (await this.part('node-creator-item-name').allInnerTexts()).sort();
	}

	/** Writes to a workflow that starts from its chat; opens the chat first where it is closed. */
	async chat(words: string): Promise<void> {
		const input = this.page.locator('textarea[data-test-id="chat-input"]');
		if (!(await input.isVisible())) await this.part('workflow-chat-button').click();
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
		return this.part('node-parameters');
	}

	/** What stands above the fields of the open form, from its top. */
	async labels(among = /./): Promise<string[]> {
		const texts = await this.form.getByTestId('input-label').allInnerTexts();
		// What is chosen, or a switch under the pointer, stands on lines of its own behind the label.
		const labels = texts.map((text) => text.trim().split('\n')[0] ?? '');
		return labels.filter((label) => among.test(label));
	}

	/** A field by its name; the last one where a list holds several. */
	private field(name: string): Locator {
		// Of a field that is named "field", n8n's text inputs would carry the name too.
		const named = `[data-test-id="parameter-input-${name}"]:not(input, textarea)`;
		return this.page.locator(named).last();
	}

	private input(name: string): Locator {
		return this.field(name).locator('input, textarea').last();
	}

	/** What a field for text or a number says. */
	async value(name: string): Promise<string> {
		return await this.input(name).inputValue();
	}

	/** What all fields of the open form say. */
	async values(): Promise<string[]> {
		const inputs = await this.form.locator('input').all();
		return await Promise.all(inputs.map(async (input) => await input.inputValue()));
	}

	/** Replaces what a field says by typing, key by key. */
	async type(name: string, words: string): Promise<void> {
		const input = this.input(name);
		await input.fill('');
		await input.pressSequentially(words, { delay: 20 });
		await input.blur();
		await this.settle(200);
	}

	/** "Add Field" and its like: adds one of a collection's fields. */
	async add(collection: string, option: string): Promise<void> {
		const label = this.part('input-label').filter({ hasText: exactly(collection) });
		const section = this.part('parameter-item').filter({ has: label }).last();
		await section.getByTestId('collection-parameter-add').last().click();
		const entries = this.page.locator('.el-select-dropdown__item, [role=option], [role=menuitem]');
		await entries
			.filter({ visible: true, hasText: beginning(option) })
			.first()
			.click();
		await this.settle(200);
	}

	private get rows(): Locator {
		return this.part('rlc-item').filter({ visible: true });
	}

	/** What a picker lists, after a search when there are words for one. */
	async list(locator: string, words = ''): Promise<string[]> {
		const search = this.part('rlc-search').last();
		if (!(await search.isVisible())) {
			const picker = this.part(`resource-locator-${locator}`).last();
			await picker.getByTestId('rlc-input').click();
		}
		await this.settle(600);
		if (words !== '') {
			await search.fill(words);
			await this.settle(1500);
		}
		await this.rows.first().waitFor();
		return (await this.rows.allInnerTexts()).map((text) => text.trim());
	}

	/** Picks the first row of an open picker that has these words. */
	async pick(words: string): Promise<void> {
		await this.rows.filter({ hasText: words }).first().click();
		await this.settle();
	}

	// What comes out

	/** Executes the open node and waits for what comes of it. */
	async execute(): Promise<void> {
		await this.part('node-execute-button').click();
		await this.settle(500);
		const running = this.page.locator('.el-loading-mask:visible, [data-icon="spinner"]:visible');
		const ended = running.first().waitFor({ state: 'hidden', timeout: 60_000 });
		await ended.catch(() => undefined);
		await this.settle();
	}

	/** What the output side of the open node says, as text: a table or an error. */
	async output(): Promise<string> {
		const panel = this.part('output-panel');
		const button = panel.getByTestId('radio-button-table');
		// An error has no views to choose from, although the buttons stay behind it.
		if ((await button.count()) > 0 && (await this.error()) === undefined) await button.click();
		await this.settle();
		return (await panel.innerText()).trim();
	}

	/** The error of the open node: its title and what stands below. */
	async error(): Promise<{ title: string; description: string } | undefined> {
		const [title] = await this.part('node-error-message').allInnerTexts();
		const [description = ''] = await this.part('node-error-description').allInnerTexts();
		return title === undefined
			? undefined
			: { title: title.trim(), description: description.trim() };
	}

	// Credentials

	/** From an open node's form to its credential's; to a new one where there is none to choose. */
	async openCredential(): Promise<void> {
		const none = this.part('node-credentials-empty-state').getByRole('button');
		await this.part('credential-edit-button').or(none).click();
		await this.part('credential-edit-dialog').waitFor();
		await this.settle();
	}

	/** Saves a new one, which tests it; the form closes when the test says yes. */
	async saveNewCredential(): Promise<void> {
		await this.part('credential-save-button').click();
		await this.part('credential-edit-dialog').waitFor({ state: 'hidden' });
		await this.settle();
	}

	/** Saves the open credential, which tests it; answers what the form then says. */
	async saveCredential(): Promise<string> {
		const tested = this.page.waitForResponse(/\/rest\/credentials\/test$/);
		await this.part('credential-save-button').click();
		await tested;
		return await this.credentialVerdict();
	}

	async credentialVerdict(): Promise<string> {
		await this.settle(1500);
		const dialog = this.part('credential-edit-dialog');
		const details = dialog.getByText('More details', { exact: true });
		if (await details.isVisible()) {
			await details.click();
			await this.settle();
		}
		// The words of the other verdict stay in the page, hidden.
		const verdict = dialog.locator('.el-tag--success:visible, .el-tag--danger:visible').first();
		return (await verdict.innerText()).replace(/\s*Retry\s*/, '\n').trim();
	}

	/** For a person to look through: a picture, in the folder that E2E_PICTURES names, if it does. */
	async picture(name: string): Promise<void> {
		const folder = process.env.E2E_PICTURES;
		if (!folder) return;
		await this.settle();
		await this.page.screenshot({ path: join(folder, `${name.replaceAll(' ', '-')}.png`) });
	}

	/** Until nothing is being loaded, and what moves has come to rest. */
	async settle(milliseconds = 400): Promise<void> {
		await this.page.waitForLoadState('networkidle', { timeout: 1000 }).catch(() => undefined);
		await this.page.waitForTimeout(milliseconds);
	}
}
