// A window of VS Code in the browser, driven as a person does: with mouse and keyboard.
// The class names are those of the pinned version.
import { mkdirSync } from "node:fs";
import { SCREENSHOTS } from "../../lib/browser.mjs";
import { StartError } from "./start.mjs";
import { until } from "./until.mjs";
import { KEYS } from "./code-server.mjs";

const START_TIMEOUT = 180_000;
const FOLDERS_TIMEOUT = 30_000;
const PICK_TIMEOUT = 10_000;
const PICK_ATTEMPTS = 3;
const UNFOLD_TIMEOUT = 3_000;
// Without the focus in the field, what is typed next would go into the file.
const FOCUSED_FIELD = ".review-widget .monaco-editor.focused";

export class CodeWindow {
  constructor(page) {
    this.page = page;
  }

  static async open(context, address) {
    const window = new CodeWindow(await context.newPage());
    try {
      await window.#loaded("the workbench does not load", async () => {
        await window.page.goto(address, { timeout: START_TIMEOUT });
        await window.#workbench.waitFor({ timeout: START_TIMEOUT });
      });
      // VS Code sometimes reads the file of a workspace before it is connected, and then shows no folders until it is reloaded.
      const folder = window.page.locator(".explorer-folders-view .monaco-list-row").first();
      if (address.includes("workspace=")) await window.#loaded("the window shows no folders", () => folder.waitFor({ timeout: FOLDERS_TIMEOUT }));
    } catch (error) {
      await window.close();
      throw error;
    }
    return window;
  }

  get #workbench() {
    return this.page.locator(".monaco-workbench .part.statusbar");
  }

  #loaded(problem, work) {
    return work().catch((error) => {
      throw new StartError(`${problem}: ${error.message}`);
    });
  }

  async reload() {
    await this.page.reload({ timeout: START_TIMEOUT });
    await this.#workbench.waitFor({ timeout: START_TIMEOUT });
  }

  close() {
    return this.page.close({ runBeforeUnload: false });
  }

  async screenshot(name) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: `${SCREENSHOTS}vscode-${name.replace(/[^a-z0-9]+/gi, "-")}.png` }).catch(() => {});
  }

  // The text that an action copies.
  async copied(action) {
    await this.page.evaluate(() => navigator.clipboard.writeText(""));
    await action();
    return until(() => this.page.evaluate(() => navigator.clipboard.readText()), "a text is copied");
  }

  // The texts of error messages that are shown.
  errors() {
    return this.notifications.filter({ has: this.page.locator(".codicon-error") }).allTextContents();
  }

  // Leaves the window as the next test expects it: without editors, messages and lists.
  async clear() {
    await this.press("Escape", "Escape", KEYS.clear);
    await this.page.locator(".tabs-container .tab").first().waitFor({ state: "detached" });
  }

  // ---- Keyboard, commands and files.

  press(...keys) {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  get picker() {
    return this.page.locator(".quick-input-widget:visible");
  }

  // Opens a list with a key, searches in it and chooses a row. An editor that opens meanwhile takes the focus, which
  // closes the list; then this is repeated.
  async pick(key, search, row, choose) {
    const timeout = PICK_TIMEOUT;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.press(key);
        await this.picker.locator("input").fill(search, { timeout });
        await row.waitFor({ timeout });
        return await choose({ timeout });
      } catch (error) {
        if (attempt === PICK_ATTEMPTS) throw error;
        await this.press("Escape");
      }
    }
  }

  // The row of a list with exactly this label.
  row(label) {
    const exact = new RegExp(`^${label.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
    return this.picker.locator(".monaco-list-row", { has: this.page.locator(".label-name", { hasText: exact }) }).first();
  }

  async command(title) {
    const row = this.row(title);
    await this.pick("F1", `>${title}`, row, (options) => row.click(options));
  }

  // As `command`, without the mouse.
  async commandByKey(title) {
    const row = this.row(title);
    await this.pick("F1", `>${title}`, row, async () => {
      await until(async () => {
        if (/\bfocused\b/.test(await row.getAttribute("class"))) return true;
        await this.press("ArrowDown");
      }, `${title} is selected`);
      await this.press("Enter");
    });
  }

  async theme(name) {
    await this.command("Preferences: Color Theme");
    // The current theme is in focus as soon as all are listed.
    await this.picker.locator(".monaco-list-row.focused").waitFor();
    await this.type(name);
    await this.picker.locator(".monaco-list-row.focused", { hasText: name }).waitFor();
    await this.press("Enter");
    await this.picker.waitFor({ state: "hidden" });
  }

  // Opens a file of the folder as a person does, optionally at a line.
  async open(path, line) {
    const name = path.split("/").at(-1);
    const row = this.row(name);
    await this.pick("Control+p", line ? `${path}:${line}` : path, row, async (options) => {
      await row.click(options);
      await this.activeTab(name).waitFor(options);
    });
    await this.editor.locator(".view-line").first().waitFor();
  }

  activeTab(name) {
    return this.page.locator(`.tabs-container .tab.active[aria-label^="${name}"]`);
  }

  // The name of the file in the active editor.
  async activeName() {
    const label = await this.page.locator(".tabs-container .tab.active").getAttribute("aria-label");
    return label.match(/^[\w.-]+/)[0];
  }

  // The line with the cursor, as the status bar has it.
  async cursorLine() {
    const text = await this.status.getByText(/^Ln \d+, Col \d+/).textContent();
    return Number(text.match(/\d+/)[0]);
  }

  get editor() {
    return this.page.locator(".editor-group-container.active .editor-instance > .monaco-editor, .editor-group-container.active .editor-instance .monaco-editor.focused").first();
  }

  async save() {
    await this.press("Control+s");
    await this.page.locator(".tab.active.dirty").waitFor({ state: "detached" });
  }

  // An item of a view in the side bar.
  tree(text) {
    return this.page.locator(".part.sidebar .monaco-list-row", { hasText: text });
  }

  // Unfolds the views of the side bar until they have a row. Rows move while a view is updated, so a click may miss.
  async unfoldTo(text) {
    const folded = this.page.locator(".part.sidebar .monaco-list-row[aria-expanded=false]").first();
    await until(async () => {
      if ((await this.tree(text).count()) > 0) return true;
      if ((await folded.count()) > 0) await folded.locator(".monaco-tl-twistie").click({ timeout: UNFOLD_TIMEOUT }).catch(() => {});
      return false;
    }, `the views have "${text}"`);
    return this.tree(text);
  }

  get status() {
    return this.page.locator(".part.statusbar");
  }

  async clearNotifications() {
    await this.press(KEYS.clearNotifications);
    await this.notifications.first().waitFor({ state: "detached" });
  }

  get notifications() {
    return this.page.locator(".notifications-toasts .notification-list-item");
  }

  notification(text) {
    return this.notifications.filter({ hasText: text });
  }

  // Presses a button of a message in the list of messages: VS Code hides a message some seconds after it was shown.
  async answer(text, button) {
    await this.press(KEYS.listNotifications);
    const message = this.page.locator(".notifications-center .notification-list-item", { hasText: text });
    await this.button(button, message).click();
  }

  dialog() {
    return this.page.locator(".monaco-dialog-box");
  }

  // ---- Lines of the editor.

  // The boxes of the visible line numbers: the line, its top and its bottom.
  async lines() {
    const numbers = await this.editor.locator(".margin-view-overlays .line-numbers").evaluateAll((all) =>
      all.map((one) => ({ line: Number(one.textContent), top: one.getBoundingClientRect().top, bottom: one.getBoundingClientRect().bottom, right: one.getBoundingClientRect().right })),
    );
    return numbers.filter(({ line }) => line > 0).sort((a, b) => a.line - b.line);
  }

  async line(number) {
    return until(async () => (await this.lines()).find(({ line }) => line === number), `line ${number} is visible`);
  }

  // A place in the text of a line.
  async textOf(number) {
    const { right, top, bottom } = await this.line(number);
    return [right + 60, (top + bottom) / 2];
  }

  // The center of the place between the line numbers and the text, where comments are added and opened.
  async gutter(number) {
    const { right, top, bottom } = await this.line(number);
    return [right + 14, (top + bottom) / 2];
  }

  // Adds a comment with the `+` of a line, or of several lines.
  async plus(first, last = first) {
    // The sign is shown when the mouse moves, and only after the extension has said where comments are possible.
    await until(async () => {
      const [x, y] = await this.gutter(first);
      await this.page.mouse.move(x, y + 30);
      await this.page.mouse.move(x, y);
      return this.editor.locator(".comment-range-glyph.line-hover").count();
    }, `the + of line ${first} is shown`);
    if (first === last) {
      await this.page.mouse.click(...(await this.gutter(first)));
    } else {
      await this.page.mouse.down();
      await this.page.mouse.move(...(await this.gutter(last)), { steps: 5 });
      await this.page.mouse.up();
    }
    await this.focused();
  }

  // The lines with a mark of a thread in the gutter.
  async marks() {
    const tops = await this.editor.locator(".margin-view-overlays .comment-range-glyph.comment-thread, .margin-view-overlays .comment-range-glyph.comment-thread-unresolved").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    const lines = await this.lines();
    const at = (top) => lines.find((line) => Math.abs(line.top - top) < 4)?.line;
    return [...new Set(tops.map(at))].filter(Boolean).sort((a, b) => a - b);
  }

  // Unfolds the thread of a line, unless it is open already. Threads that appear above move the line before the click.
  async unfold(line) {
    await until(async () => (await this.marks()).includes(line), `line ${line} has a thread`);
    await until(async () => {
      if (await this.isUnfolded(line)) return true;
      await this.page.mouse.click(...(await this.gutter(line)));
      const unfolded = until(() => this.isUnfolded(line), `the thread of line ${line} is open`, UNFOLD_TIMEOUT);
      return unfolded.catch(() => false);
    }, `the thread of line ${line} is open`);
  }

  async isUnfolded(line) {
    // A thread may go while it is looked at.
    const lines = (await this.threads.all()).map((thread) => this.lineOf(thread).catch(() => undefined));
    return (await Promise.all(lines)).includes(line);
  }

  // ---- Threads that are shown in the editor.

  get threads() {
    return this.page.locator(".review-widget:visible");
  }

  thread(text) {
    return text ? this.threads.filter({ hasText: text }) : this.threads;
  }

  // The line under which a thread is shown; 0 above the first line.
  async lineOf(thread) {
    const y = (await thread.boundingBox({ timeout: UNFOLD_TIMEOUT }))?.y ?? 0;
    const above = (await this.lines()).filter(({ bottom }) => bottom <= y + 3);
    return above.at(-1)?.line ?? 0;
  }

  // A button by its name; VS Code adds the key to it.
  button(name, within = this.page) {
    return within.getByRole("button", { name: new RegExp(`^${name}( \\(.*\\))?$`, "i") });
  }

  comment(text, within = this.page) {
    return within.locator(".review-comment", { hasText: text });
  }

  // Presses a button of a comment, which is visible under the mouse.
  async act(name, comment) {
    await comment.hover();
    await this.button(name, comment).click();
  }

  // Writes a first comment into the open box, and stores it with a button.
  async write(text, button) {
    await this.type(text);
    await this.button(button, this.page.locator(".review-widget", { has: this.page.locator(".monaco-editor.focused") })).click();
  }

  // The label above a thread: whose turn it is, and the state of its code.
  label(thread) {
    return thread.locator(".review-title .filename").textContent();
  }

  // Starts a reply with the mouse; the caret is in the field afterwards.
  async reply(thread) {
    await thread.locator(".review-thread-reply-button").click();
    await this.focused();
  }

  // Moves the focus with Tab into the field of a reply, which opens when its button gets the focus. While it opens, the focus
  // can return to the text, where Tab would indent lines.
  async tabIntoField(enterThread) {
    await until(async () => {
      if (!(await this.isInThread())) {
        await enterThread();
        await this.page.locator(".comments-container:focus").waitFor();
      }
      await this.tab();
      return this.isFocused();
    }, "the field has the focus");
  }

  // Presses Tab, and waits until the focus has moved. The button of a reply opens a field, which then gets the focus.
  async tab() {
    const before = await this.page.evaluateHandle(() => document.activeElement);
    await this.press("Tab");
    await this.page.waitForFunction((before) => {
      const active = document.activeElement;
      return active !== before && !active.closest(".review-thread-reply-button");
    }, before);
  }

  isInThread() {
    return this.page.evaluate(() => Boolean(document.activeElement?.closest(".review-widget")));
  }

  // Stores the text of the focused field with the key. It does nothing as long as VS Code takes the field for empty.
  async submit() {
    const thread = this.page.locator(".review-widget", { has: this.page.locator(".monaco-editor.focused") });
    await thread.locator('.form-actions .monaco-button[aria-label*="(Ctrl+Enter)"][aria-disabled="false"]').first().waitFor();
    await this.press("Control+Enter");
  }

  // Waits until the caret is in a field of a thread.
  async focused() {
    await this.page.locator(FOCUSED_FIELD).waitFor();
  }

  async isFocused() {
    return (await this.page.locator(FOCUSED_FIELD).count()) > 0;
  }

  // The text of a comment that is being edited.
  async editing(within) {
    const lines = await within.locator(".edit-container .view-line").allTextContents();
    return lines.join("\n").replaceAll("\u00a0", " ");
  }

  // What is in the field of a thread: its text, and whether and where the caret is in it.
  writing(thread) {
    return thread.locator(".comment-form .monaco-editor").evaluate((editor) => {
      const lines = [...editor.querySelectorAll(".view-line")].sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
      const caret = editor.querySelector(".cursor").getBoundingClientRect();
      const box = editor.getBoundingClientRect();
      return {
        text: lines.map((line) => line.textContent.replaceAll("\u00a0", " ")).join("\n"),
        focused: editor.contains(document.activeElement),
        caret: [Math.round(caret.left - box.left), Math.round(caret.top - box.top)],
      };
    });
  }
}
