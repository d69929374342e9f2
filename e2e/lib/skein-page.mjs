// The page object of a Skein page: finds its elements, and acts on them as a user does.
import { until } from "./until.mjs";

export class SkeinPage {
  constructor(page) {
    this.page = page;
    this.composer = page.locator(".composer");
    this.area = page.locator(".composer textarea");
    this.toast = page.locator(".toast");
    this.dialog = page.locator("dialog");
  }

  file(path) {
    return this.page.locator(`section.file[data-path=${JSON.stringify(path)}]`);
  }

  // The number of a line on the new side; a click on it starts a comment.
  number(path, line) {
    return this.file(path).locator(`td.n.r[data-n="${line}"]`);
  }

  row(path, line) {
    return this.file(path).locator("tr", { has: this.page.locator(`td.n.r[data-n="${line}"]`) });
  }

  // A thread, by the prefix of its id or by a part of its text.
  thread(what) {
    const byId = this.page.locator(`.thread[data-thread^=${JSON.stringify(what)}]`);
    return /^[0-9a-f-]{4,}$/.test(what) ? byId : this.page.locator(".thread", { hasText: what });
  }

  comment(text) {
    return this.page.locator(".comment .md", { hasText: text });
  }

  button(name, root = this.page) {
    return root.getByRole("button", { name, exact: true });
  }

  async drag(path, from, to) {
    await this.number(path, from).hover();
    await this.page.mouse.down();
    await this.number(path, to).hover();
    await this.page.mouse.up();
  }

  // Clicks at the position of an element. Playwright's own click scrolls to where a sticky element would be if it were not sticky.
  async tap(locator) {
    await locator.waitFor();
    const { x, y, width, height } = await locator.boundingBox();
    await this.page.mouse.click(x + width / 2, y + height / 2);
  }

  async idOf(thread) {
    return thread.getAttribute("data-thread");
  }

  // The text of the focused field, and the position of the caret.
  writing() {
    return this.page.evaluate(() => {
      const { localName, value, selectionStart, selectionEnd } = document.activeElement;
      return { localName, value, selectionStart, selectionEnd };
    });
  }

  scroll() {
    return this.page.evaluate(() => window.scrollY);
  }

  // The vertical position of an element in the window.
  async top(locator) {
    return locator.evaluate((element) => element.getBoundingClientRect().top);
  }

  // Waits until an element stays where it is: rows out of sight have an estimated height until they are scrolled to.
  async settled(locator) {
    await until(async () => {
      const top = await this.top(locator);
      await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      return (await this.top(locator)) === top;
    }, "the element stays where it is");
  }

  // The number of the line above a thread or a field.
  lineAbove(locator) {
    return locator.evaluate((element) => {
      let row = element.closest("tr");
      while (row && !row.querySelector("td.n.r[data-n]")) row = row.previousElementSibling;
      return row && Number(row.querySelector("td.n.r[data-n]").dataset.n);
    });
  }

  async connected() {
    await until(() => this.page.evaluate(() => document.getElementById("live").textContent === ""), "the page is connected");
  }

  clipboard() {
    return this.page.evaluate(() => navigator.clipboard.readText());
  }
}
