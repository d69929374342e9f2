// The page of changes: layouts, folds, large diffs, and what is compared.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";
import { Workspace } from "../lib/workspace.mjs";

const FILE = "src/cache.rs";

scene("unified and split show the same lines, and the choice is kept", async ({ ui, page }) => {
  await ui.file(FILE).locator("table.unified").waitFor();
  const shown = () => ui.file(FILE).locator("td.n.r[data-n]").evaluateAll((cells) => cells.map((cell) => cell.dataset.n));
  const numbers = await shown();
  await ui.button("Split").click();
  await ui.file(FILE).locator("table.split").waitFor();
  assert.deepEqual(await shown(), numbers);
  await page.reload();
  await ui.file(FILE).locator("table.split").waitFor();
  await ui.number(FILE, 30).click();
  await page.keyboard.type("In two columns.");
  await ui.button("Comment").click();
  const thread = ui.thread("In two columns.");
  await thread.waitFor();
  assert.equal(await ui.lineAbove(thread), 30);
  await ui.button("Unified").click();
  await ui.file(FILE).locator("table.unified").waitFor();
  await thread.waitFor();
});

scene("unchanged lines unfold, and stay unfolded when the file changes", async ({ ui, workspace }) => {
  const fold = ui.file(FILE).locator("[data-act=unfold]").first();
  assert.match(await fold.textContent(), /7 unchanged lines/);
  assert.equal(await ui.number(FILE, 11).count(), 0);
  await fold.click();
  await ui.row(FILE, 11).getByText("Self { entries: HashMap::new(), limit }").waitFor();
  workspace.edit(FILE, (text) => text.replace("the oldest entry", "the eldest entry"));
  await ui.file(FILE).getByText("the eldest entry").waitFor();
  assert.equal(await ui.number(FILE, 11).count(), 1);
});

scene("a file folds and unfolds by its heading", async ({ ui }) => {
  const body = ui.file(FILE).locator(".file-body");
  const button = ui.button(`Fold or unfold ${FILE}`);
  await button.click();
  await body.waitFor({ state: "hidden" });
  assert.equal(await button.getAttribute("aria-expanded"), "false");
  await button.click();
  await body.waitFor({ state: "visible" });
});

const COUNT = 60;
const name = (number) => `part/${String(number).padStart(2, "0")}.txt`;

// Many files, each with many changed lines: more than a page carries at first.
const many = (count) => async () => {
  const text = (number, what) => Array.from({ length: 200 }, (_, line) => `${what} ${number}.${line}\n`).join("");
  const files = {};
  for (let number = 0; number < count; number += 1) files[name(number)] = text(number, "before");
  const workspace = await Workspace.plain(files);
  for (let number = 0; number < count; number += 1) workspace.write(name(number), text(number, "after"));
  await workspace.skein("review", "add", `${name(count - 5)}:100`, "-m", "Far below.");
  return workspace;
};

scene("the files of a large diff are loaded when they are scrolled to", { make: many(COUNT) }, async ({ t, ui, page }) => {
  assert.equal(await page.locator("section.file").count(), COUNT);
  await ui.file(name(0)).getByText("after 0.0").waitFor();
  const notLoaded = page.locator("section.file[data-waits]");
  const before = await notLoaded.count();
  assert.ok(before > COUNT / 2, `${before} of ${COUNT} files are not loaded yet`);
  const loaded = await page.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd);
  t.diagnostic(`12,000 changed lines on each side: the page is loaded after ${Math.round(loaded)} ms`);
  await page.locator("#tree").getByRole("link", { name: /55\.txt/ }).click();
  await ui.thread("Far below.").waitFor();
  assert.equal(await ui.lineAbove(ui.thread("Far below.")), 100);
  await until(async () => {
    const top = await ui.top(ui.file(name(55)));
    return top > 0 && top < 900;
  }, "the requested file is in view");
  assert.ok((await notLoaded.count()) > COUNT / 3, "files that were not scrolled to are not loaded");
});

scene("n finds the threads of files that are not loaded yet", { make: many(20) }, async ({ ui, page }) => {
  await page.keyboard.press("n");
  const thread = ui.thread("Far below.");
  await thread.waitFor();
  await until(async () => {
    const top = await ui.top(thread);
    return top > 0 && top < 900;
  }, "the thread is in view");
  assert.equal(await ui.lineAbove(thread), 100);
});

scene("every file of a large diff is loaded by scrolling through it", { make: many(20) }, async ({ ui, page }) => {
  const notLoaded = page.locator("section.file[data-waits]");
  // Two screens per frame, which is faster than any user scrolls.
  await page.evaluate(async () => {
    const root = document.documentElement;
    while (window.scrollY + window.innerHeight < root.scrollHeight - 2) {
      window.scrollBy(0, 1800);
      await new Promise(requestAnimationFrame);
    }
  });
  await ui.file(name(19)).getByText("after 19.199").waitFor();
  await until(async () => (await notLoaded.count()) === 0, "every file is loaded");
});

async function folded() {
  const workspace = await Workspace.plain({ "package-lock.json": "{}\n", "big.txt": "", "small.txt": "a\n" });
  workspace.write("package-lock.json", '{ "lockfileVersion": 3 }\n');
  workspace.write("big.txt", Array.from({ length: 2000 }, (_, line) => `line ${line}\n`).join(""));
  workspace.write("small.txt", "b\n");
  return workspace;
}

scene("generated and large files are folded until they are opened", { make: folded }, async ({ ui }) => {
  for (const [path, why, text] of [
    ["package-lock.json", "This file is generated.", "lockfileVersion"],
    ["big.txt", "This is a large change.", "line 1999"],
  ]) {
    await ui.file(path).getByText(why).waitFor();
    assert.equal(await ui.file(path).locator("table.code").count(), 0);
    await ui.button("Show", ui.file(path)).click();
    await ui.file(path).getByText(text).waitFor();
  }
});

const compare = async (page, choice) => {
  await page.locator("details.menu > summary").click();
  await page.locator(".choices").getByText(choice).click();
};

scene("the menu compares with what is staged, and with a base", async ({ ui, page, workspace }) => {
  await workspace.git("add", "src/http.rs");
  await compare(page, "Staged changes");
  await page.waitForURL(/staged=1/);
  await ui.file("src/http.rs").waitFor();
  assert.equal(await ui.file(FILE).count(), 0);
  await page.locator("details.menu > summary").click();
  await page.getByLabel("A commit, a branch, or A..B").fill("HEAD~2..HEAD");
  await page.keyboard.press("Enter");
  await page.waitForURL(/base=HEAD/);
  await ui.file("web/board.ts").waitFor();
  // Threads are not placed between the lines of two commits.
  await ui.file(FILE).locator(".outside-threads .thread[data-thread^='7f3a']").waitFor();
});

scene("the way back from another page leads to the last comparison", { path: "/?base=HEAD~2" }, async ({ ui, page }) => {
  const back = async () => page.waitForURL((url) => url.pathname + url.search === "/?base=HEAD~2");
  await page.getByRole("link", { name: /^Threads/ }).click();
  await page.waitForURL(/threads/);
  await page.getByRole("link", { name: "Changes", exact: true }).click();
  await back();
  await page.keyboard.press("t");
  await page.waitForURL(/threads/);
  await page.keyboard.press("h");
  await back();
  await compare(page, "Uncommitted changes, or the branch");
  await page.waitForURL((url) => url.search === "");
  await ui.file(FILE).waitFor();
});

scene("only changes after the last submission are shown", async ({ ui, page, workspace }) => {
  await workspace.skein("review", "submit");
  await compare(page, "Since my last submit");
  await page.waitForURL(/since-submit=1/);
  await page.getByText("No changes.").waitFor();
  workspace.edit("README.md", (text) => `${text}\nRun it.\n`);
  await ui.file("README.md").locator("tr.add", { hasText: "Run it." }).waitFor();
  assert.equal(await page.locator("section.file").count(), 1);
});

scene("a base that does not exist is reported with a hint", { path: "/?base=nowhere" }, async ({ ui, page }) => {
  const message = page.locator(".empty");
  await message.getByText("nowhere").waitFor();
  assert.equal(await message.locator("p").count(), 2, "there is a hint");
  await compare(page, "Uncommitted changes, or the branch");
  await ui.file(FILE).waitFor();
});

scene("a comparison with the last submission says that there is none", async ({ page }) => {
  await compare(page, "Since my last submit");
  await page.waitForURL(/since-submit=1/);
  await page.locator(".empty b").waitFor();
});

const LONG = 5_000;

async function longFile() {
  const text = Array.from({ length: LONG }, (_, at) => `line ${at + 1}\n`).join("");
  return Workspace.plain({ "long.txt": text });
}

scene("a long file is loaded in pieces as it is scrolled, and can be commented on at its end", { make: longFile, path: "/file/long.txt" }, async ({ ui, page, workspace }) => {
  const rows = () => ui.file("long.txt").locator("td.n.r[data-n]").count();
  const first = await rows();
  assert.ok(first < LONG / 2, `${first} rows at first`);
  await until(async () => {
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    return (await rows()) === LONG;
  }, "all pieces are loaded");
  await ui.number("long.txt", LONG).click();
  await page.keyboard.type("At the end.");
  await page.keyboard.press("Control+Enter");
  await ui.thread("At the end.").waitFor();
  assert.match(await workspace.skein("review", "list"), new RegExp(`long.txt:${LONG}`));
});

scene("rows out of sight are not laid out", { make: many(20) }, async ({ page }) => {
  const chunks = page.locator(".chunk");
  await chunks.first().waitFor();
  const isLaidOut = (chunk) => chunk.evaluate((element) => element.firstElementChild.checkVisibility({ contentVisibilityAuto: true }));
  assert.equal(await isLaidOut(chunks.first()), true);
  await until(async () => !(await isLaidOut(chunks.last())), "the last table is skipped");
  await chunks.last().scrollIntoViewIfNeeded();
  await until(() => isLaidOut(chunks.last()), "the last table is laid out");
});
