import { existsSync } from 'node:fs';
import { type Browser, chromium, type Locator, type Page, selectors } from 'playwright-core';
import { OWNER } from './instance';

/**
 * n8n's editor in Chromium, used as a person uses it: by what is on the screen. Elements are found by
 * n8n's own test IDs.
 */

const CHROMIUM_ARGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--no-first-run',
	'--disable-background-networking',
];
const CHROMIUM_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Opens Chromium and logs in to the n8n at this URL. */
export async function openEditor(url: string): Promise<Editor> {
	selectors.setTestIdAttribute('data-test-id');
	const executablePath =
		process.env.CHROMIUM_PATH ?? CHROMIUM_PATHS.find((place) => existsSync(place));
	if (executablePath === undefined) throw new Error('No Chromium found: set CHROMIUM_PATH');
	const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS });
	try {
		const page = await browser.newPage({ viewport: { width: 1400, height: 1100 } });
		// The first page of a new n8n can take long on a busy machine.
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
		/** For anything without a method here. */
		readonly page: Page,
	) {}

	async close(): Promise<void> {
		await this.browser.close();
	}

	private part(name: string): Locator {
		return this.page.getByTestId(name);
	}

	// The canvas and the panel of nodes

	async openWorkflow(workflowId = 'new'): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflowId}`);
		await this.part('canvas-wrapper').waitFor();
		if (workflowId !== 'new') await this.part('canvas-node').first().waitFor();
		await this.settle();
	}

	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	async hasIssues(name: string): Promise<boolean> {
		return (await this.node(name).getByTestId('node-issues').count()) > 0;
	}

	/** Searches the panel of nodes. Returns the names found. */
	async findNodes(query: string): Promise<string[]> {
		const search = this.part('node-creator-search-bar');
		if (!(await search.isVisible())) await this.part('node-creator-plus-button').click();
		await search.fill(query);
		await this.settle();
		return await this.part('node-creator-item-name').allInnerTexts();
	}

	/** Chooses a node, or one of its actions, in the panel. */
	async choose(name: string): Promise<void> {
		const named = this.page.getByText(name, { exact: true });
		await this.part('node-creator-item-name').and(named).click();
		await this.settle();
	}

	/** The URLs of the icons that the panel shows, without broken ones. */
	async icons(): Promise<string[]> {
		const images = this.part('node-creator-action-item').locator('img');
		await images.first().waitFor();
		return await images.evaluateAll((all: Array<{ naturalWidth: number; src: string }>) =>
			all.filter(({ naturalWidth }) => naturalWidth > 0).map(({ src }) => src),
		);
	}

	/** The actions and triggers of the chosen node, sorted. */
	async actions(): Promise<string[]> {
		await this.page.getByText(/^Actions \(\d+\)/).click();
		await this.settle();
		return (await this.part('node-creator-item-name').allInnerTexts()).sort();
	}

	/** Sends a chat message to the open workflow; opens the chat first if it is closed. */
	async chat(text: string): Promise<void> {
		const input = this.page.locator('textarea[data-test-id="chat-input"]');
		if (!(await input.isVisible())) await this.part('workflow-chat-button').click();
		await input.fill(text);
		// Not the Enter key: the button waits until the chat has shown the answer to an earlier message.
		await this.page.locator('.chat-input-send-button').click();
	}

	// A node's form

	async openNode(name: string): Promise<void> {
		await this.node(name).dblclick();
		await this.part('node-parameters').waitFor();
		await this.settle();
	}

	input(name: string): Locator {
		return this.part(`parameter-input-${name}`).locator('input, textarea').last();
	}

	/** Replaces the text of a field by typing, key by key. */
	async type(name: string, text: string): Promise<void> {
		const input = this.input(name);
		await input.fill('');
		await input.pressSequentially(text, { delay: 20 });
		await input.blur();
		await this.settle(200);
	}

	async select(name: string, option: string): Promise<void> {
		await this.input(name).click();
		const entries = this.page.locator('.el-select-dropdown__item, [role=option]');
		await entries.filter({ visible: true, hasText: option }).first().click();
		await this.settle(200);
	}

	/** Lists the rows of a picker that match `query`; then picks the row with `picked`. */
	async searchPicker(locator: string, { query = '', picked = '' } = {}): Promise<string[]> {
		const picker = this.part(`resource-locator-${locator}`).last();
		const search = this.part('rlc-search').last();
		if (!(await search.isVisible())) await picker.getByTestId('rlc-input').click();
		await this.settle(600);
		if (query !== '') await search.fill(query);
		await this.settle(1500);
		const rows = this.part('rlc-item').filter({ visible: true });
		await rows.first().waitFor();
		const texts = await rows.allInnerTexts();
		if (picked !== '') await rows.filter({ hasText: picked }).first().click();
		return texts.map((text) => text.trim());
	}

	// A node's output

	async execute(): Promise<void> {
		await this.part('node-execute-button').click();
		await this.settle(500);
		const running = this.page.locator('.el-loading-mask:visible, [data-icon="spinner"]:visible');
		const ended = running.first().waitFor({ state: 'hidden', timeout: 60_000 });
		await ended.catch(() => undefined);
		await this.settle();
	}

	/** The text of the open node's output, shown as a table. */
	async output(): Promise<string> {
		const panel = this.part('output-panel');
		const table = panel.getByTestId('radio-button-table');
		if ((await table.count()) > 0) await table.click();
		await this.settle();
		return (await panel.innerText()).trim();
	}

	/** The open node's error, its title and description; empty if there is none. */
	async error(): Promise<string> {
		const title = await this.part('node-error-message').allInnerTexts();
		const description = await this.part('node-error-description').allInnerTexts();
		return [...title, ...description].join('\n').trim();
	}

	// Credentials

	/** Opens the credential of the open node, or a new one if there is none. */
	async openCredential(): Promise<void> {
		const none = this.part('node-credentials-empty-state').getByRole('button');
		await this.part('credential-edit-button').or(none).click();
		await this.part('credential-edit-dialog').waitFor();
		await this.settle();
	}

	/** Saves a new credential, which tests it; the form closes if the test succeeds. */
	async saveNewCredential(): Promise<void> {
		await this.part('credential-save-button').click();
		await this.part('credential-edit-dialog').waitFor({ state: 'hidden' });
		await this.settle();
	}

	/** Saves the open credential, which tests it. Returns the result that the form shows. */
	async saveCredential(): Promise<string> {
		const testResponse = this.page.waitForResponse(/\/rest\/credentials\/test$/);
		await this.part('credential-save-button').click();
		await testResponse;
		await this.settle(1500);
		const dialog = this.part('credential-edit-dialog');
		const details = dialog.getByText('More details', { exact: true });
		if (await details.isVisible()) await details.click();
		await this.settle();
		// The text of the other result stays in the page, hidden.
		const verdict = dialog.locator('.el-tag--success:visible, .el-tag--danger:visible').first();
		return await verdict.innerText();
	}

	/** Waits until nothing is loading and animations have ended. */
	async settle(milliseconds = 400): Promise<void> {
		await this.page.waitForLoadState('networkidle', { timeout: 1000 }).catch(() => undefined);
		await this.page.waitForTimeout(milliseconds);
	}
}
