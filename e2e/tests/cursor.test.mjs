// There is one cursor: keys, the mouse wheel, clicks, links and the focus move it, and every key acts on its position.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { frames, until } from "../lib/until.mjs";
import { Workspace } from "../lib/workspace.mjs";

const FILE = "src/cache.rs";

const keys = async (page, ...all) => {
  for (const key of all) await page.keyboard.press(key);
};

// What the cursor is on: a line, a thread or a file.
const cursor = (page) =>
  page.evaluate(() => {
    const one = document.querySelector("[data-my-cursor]");
    if (!one) return null;
    if (one.matches(".thread")) return `thread ${one.dataset.thread.slice(0, 4)}`;
    if (one.matches(".file")) return `file ${one.dataset.path}`;
    return `${one.closest(".file").dataset.path}:${one.querySelector("td.n.r").dataset.n}`;
  });

const isInView = (locator) =>
  locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 90 && top < window.innerHeight;
  });

// Several files, each longer than the window, with a resolved and an open thread in the second one.
const long = async () => {
  const text = Array.from({ length: 300 }, (_, line) => `line ${line + 1}\n`).join("");
  const workspace = await Workspace.plain({ "a.txt": "", "b.txt": "", "c.txt": "" });
  for (const path of ["a.txt", "b.txt", "c.txt"]) workspace.write(path, text);
  await workspace.skein("review", "add", "b.txt:150", "-m", "An open thread.");
  await workspace.skein("review", "add", "b.txt:20", "-m", "A resolved thread.");
  await workspace.skein("review", "resolve", "b.txt:20");
  return workspace;
};

scene("a reply to a resolved thread is typed into its field", { make: long }, async ({ ui, page, workspace }) => {
  const thread = ui.thread("A resolved thread.");
  // The first key loads the file of the thread.
  await keys(page, "n");
  await thread.waitFor();
  for (let steps = 0; (await cursor(page)) !== `thread ${(await ui.idOf(thread)).slice(0, 4)}`; steps += 1) {
    assert.ok(steps < 5, "the thread is reached");
    await keys(page, "n");
  }
  assert.equal(await thread.locator("details").evaluate((details) => details.open), false);
  await keys(page, "r");
  await page.keyboard.type("vcj is typed and does nothing else");
  assert.equal(await thread.locator("textarea:not(.source)").inputValue(), "vcj is typed and does nothing else");
  assert.equal(await ui.file("b.txt").getByLabel("Viewed").isChecked(), false);
  await keys(page, "Control+Enter");
  await until(async () => (await workspace.skein("review", "show", "b.txt:20")).includes("vcj is typed"), "it is stored");
});

scene("a comment on a file that is folded is typed into its field", async ({ ui, page }) => {
  await ui.button(`Fold or unfold ${FILE}`).click();
  await ui.file(FILE).locator(".file-body").waitFor({ state: "hidden" });
  await keys(page, "C");
  await page.keyboard.type("On the file.");
  assert.equal((await ui.writing()).value, "On the file.");
});

scene("n moves the line cursor: v and c act on the file of the thread", { make: long }, async ({ ui, page }) => {
  await keys(page, "j");
  assert.equal(await cursor(page), "a.txt:1");
  while ((await cursor(page)) === "a.txt:1" || !(await cursor(page)).startsWith("thread")) await keys(page, "n");
  await keys(page, "n");
  await ui.thread("An open thread.").waitFor();
  while (!(await isInView(ui.thread("An open thread.")))) await keys(page, "n");
  const scrolled = await ui.scroll();
  await keys(page, "c");
  await ui.composer.getByText("b.txt:150").waitFor();
  assert.ok(Math.abs((await ui.scroll()) - scrolled) < 500, "the page does not jump");
  await keys(page, "Escape", "v");
  await until(() => ui.file("b.txt").getByLabel("Viewed").isChecked(), "the file of the thread is viewed");
  assert.equal(await ui.file("a.txt").getByLabel("Viewed").isChecked(), false);
});

scene("] moves the line cursor: c acts on the file that it moved to", { make: long }, async ({ ui, page }) => {
  await keys(page, "j", "]");
  assert.equal(await cursor(page), "file b.txt");
  await keys(page, "c");
  await ui.composer.getByText("b.txt:1", { exact: true }).waitFor();
  await keys(page, "Escape", "[", "j");
  assert.equal(await cursor(page), "a.txt:1");
});

scene("the mouse wheel moves the cursor", { make: long }, async ({ ui, page }) => {
  await keys(page, "j");
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, 3000);
  await until(async () => (await ui.scroll()) > 2000, "the page is scrolled");
  await until(async () => isInView(page.locator("tr[data-my-cursor]")), "the cursor is in view");
  const scrolled = await ui.scroll();
  await keys(page, "c");
  await ui.composer.waitFor();
  assert.ok(Math.abs((await ui.scroll()) - scrolled) < 400, "the page does not jump back");
  assert.ok(await isInView(ui.composer));
  await keys(page, "Escape");
  await page.mouse.wheel(0, -6000);
  await until(async () => (await ui.scroll()) === 0, "the page is scrolled back");
  await until(async () => isInView(page.locator("tr[data-my-cursor]")), "the cursor is in view again");
  assert.match(await cursor(page), /^a\.txt:/);
});

scene("a click moves the cursor, on a line and on a thread", async ({ ui, page }) => {
  await keys(page, "j");
  await ui.row(FILE, 30).locator("td.t").last().click();
  assert.equal(await cursor(page), `${FILE}:30`);
  await keys(page, "j");
  assert.equal(await cursor(page), `${FILE}:31`);
  await ui.thread("7f3a").locator(".comment .md").first().click();
  assert.equal(await cursor(page), "thread 7f3a");
  await keys(page, "r");
  assert.equal(await ui.thread("7f3a").locator("textarea:not(.source)").count(), 1);
});

scene("a link of the file tree moves the cursor, also when it is clicked twice", { make: long }, async ({ page }) => {
  await keys(page, "j");
  const link = page.locator("#tree").getByRole("link", { name: /c\.txt/ });
  await link.click();
  assert.equal(await cursor(page), "file c.txt");
  await keys(page, "j", "j");
  // The first key loads the file.
  await until(async () => (await cursor(page)) === "c.txt:2", "the cursor is on the second line");
  await link.click();
  assert.equal(await cursor(page), "file c.txt");
});

scene("the cursor stays on its line when lines are added above it", async ({ ui, page, workspace }) => {
  await ui.row(FILE, 30).locator("td.t").last().click();
  const text = await ui.row(FILE, 30).locator("td.t").last().textContent();
  workspace.edit(FILE, (code) => `// one\n// two\n${code}`);
  await ui.file(FILE).getByText("// two", { exact: true }).waitFor();
  assert.equal(await cursor(page), `${FILE}:32`);
  assert.equal(await page.locator("tr[data-my-cursor] td.t").last().textContent(), text);
});

scene("typing into the filter of files does not scroll the changes", { make: long }, async ({ ui, page }) => {
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, 4000);
  await until(async () => (await ui.scroll()) > 2000, "the page is scrolled");
  let scrolled;
  await until(async () => {
    const before = scrolled;
    await frames(page);
    return before === (scrolled = await ui.scroll());
  }, "the scrolling ends");
  await keys(page, "f");
  assert.equal(await ui.scroll(), scrolled, "the focus scrolls nothing");
  await page.keyboard.type("c.t");
  assert.equal(await ui.scroll(), scrolled, "typing scrolls nothing");
  await keys(page, "Escape");
  assert.equal(await ui.scroll(), scrolled, "leaving the filter scrolls nothing");
});
