// The page of changes: layouts, folds, large diffs, and what is compared.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";
import { Workspace } from "../lib/workspace.mjs";

const FILE = "src/cache.rs";

scene("unified and split show the same lines, and the choice is kept", async ({ desk, page }) => {
  await desk.file(FILE).locator("table.unified").waitFor();
  const shown = () => desk.file(FILE).locator("td.n.r[data-n]").evaluateAll((cells) => cells.map((cell) => cell.dataset.n));
  const numbers = await shown();
  await desk.button("Split").click();
  await desk.file(FILE).locator("table.split").waitFor();
  assert.deepEqual(await shown(), numbers);
  await page.reload();
  await desk.file(FILE).locator("table.split").waitFor();
  await desk.number(FILE, 30).click();
  await page.keyboard.type("In two columns.");
  await desk.button("Comment").click();
  const thread = desk.thread("In two columns.");
  await thread.waitFor();
  assert.equal(await desk.lineAbove(thread), 30);
  await desk.button("Unified").click();
  await desk.file(FILE).locator("table.unified").waitFor();
  await thread.waitFor();
});

scene("unchanged lines unfold, and stay unfolded when the file changes", async ({ desk, workspace }) => {
  const fold = desk.file(FILE).locator("[data-act=unfold]").first();
  assert.match(await fold.textContent(), /7 unchanged lines/);
  assert.equal(await desk.number(FILE, 11).count(), 0);
  await fold.click();
  await desk.row(FILE, 11).getByText("Self { entries: HashMap::new(), limit }").waitFor();
  workspace.edit(FILE, (text) => text.replace("the oldest entry", "the eldest entry"));
  await desk.file(FILE).getByText("the eldest entry").waitFor();
  assert.equal(await desk.number(FILE, 11).count(), 1);
});

scene("a file folds and unfolds by its heading", async ({ desk }) => {
  const body = desk.file(FILE).locator(".file-body");
  const button = desk.button(`Fold or unfold ${FILE}`);
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

scene("a large diff comes when it is scrolled to", { make: many(COUNT) }, async ({ t, desk, page }) => {
  assert.equal(await page.locator("section.file").count(), COUNT);
  await desk.file(name(0)).getByText("after 0.0").waitFor();
  const waits = page.locator("section.file[data-waits]");
  const before = await waits.count();
  assert.ok(before > COUNT / 2, `${before} of ${COUNT} files are not there yet`);
  const loaded = await page.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd);
  t.diagnostic(`12,000 changed lines on each side: the page is there after ${Math.round(loaded)} ms`);
  await page.locator("#tree").getByRole("link", { name: /55\.txt/ }).click();
  await desk.thread("Far below.").waitFor();
  assert.equal(await desk.lineAbove(desk.thread("Far below.")), 100);
  await until(async () => {
    const top = await desk.top(desk.file(name(55)));
    return top > 0 && top < 900;
  }, "the file that was asked for is in sight");
  assert.ok((await waits.count()) > COUNT / 3, "what nobody looked at has not come");
});

scene("n finds the threads of files that are not there yet", { make: many(20) }, async ({ desk, page }) => {
  await page.keyboard.press("n");
  const thread = desk.thread("Far below.");
  await thread.waitFor();
  await until(async () => {
    const top = await desk.top(thread);
    return top > 0 && top < 900;
  }, "the thread is in sight");
  assert.equal(await desk.lineAbove(thread), 100);
});

scene("all of a large diff comes to one who scrolls through", { make: many(20) }, async ({ desk, page }) => {
  const waits = page.locator("section.file[data-waits]");
  // Two screens with each frame, which is faster than anybody reads.
  await page.evaluate(async () => {
    const root = document.documentElement;
    while (window.scrollY + window.innerHeight < root.scrollHeight - 2) {
      window.scrollBy(0, 1800);
      await new Promise(requestAnimationFrame);
    }
  });
  await desk.file(name(19)).getByText("after 19.199").waitFor();
  await until(async () => (await waits.count()) === 0, "every file has come");
});

async function folded() {
  const workspace = await Workspace.plain({ "package-lock.json": "{}\n", "big.txt": "", "small.txt": "a\n" });
  workspace.write("package-lock.json", '{ "lockfileVersion": 3 }\n');
  workspace.write("big.txt", Array.from({ length: 2000 }, (_, line) => `line ${line}\n`).join(""));
  workspace.write("small.txt", "b\n");
  return workspace;
}

scene("generated and large files are folded until one asks for them", { make: folded }, async ({ desk }) => {
  for (const [path, why, text] of [
    ["package-lock.json", "This file is generated.", "lockfileVersion"],
    ["big.txt", "This is a large change.", "line 1999"],
  ]) {
    await desk.file(path).getByText(why).waitFor();
    assert.equal(await desk.file(path).locator("table.code").count(), 0);
    await desk.button("Show", desk.file(path)).click();
    await desk.file(path).getByText(text).waitFor();
  }
});

const compare = async (page, choice) => {
  await page.locator("details.menu > summary").click();
  await page.locator(".choices").getByText(choice).click();
};

scene("the menu compares with what is staged, and with a base", async ({ desk, page, workspace }) => {
  await workspace.git("add", "src/http.rs");
  await compare(page, "Staged changes");
  await page.waitForURL(/staged=1/);
  await desk.file("src/http.rs").waitFor();
  assert.equal(await desk.file(FILE).count(), 0);
  await page.locator("details.menu > summary").click();
  await page.getByLabel("A commit, a branch, or A..B").fill("HEAD~2..HEAD");
  await page.keyboard.press("Enter");
  await page.waitForURL(/base=HEAD/);
  await desk.file("web/board.ts").waitFor();
  // Threads have no place between the lines of two commits.
  await desk.file(FILE).locator(".outside-threads .thread[data-thread^='7f3a']").waitFor();
});

scene("since the last submission only what came later is shown", async ({ desk, page, workspace }) => {
  await workspace.skein("review", "submit");
  await compare(page, "Since my last submit");
  await page.waitForURL(/since-submit=1/);
  await page.getByText("No changes.").waitFor();
  workspace.edit("README.md", (text) => `${text}\nRun it.\n`);
  await desk.file("README.md").locator("tr.add", { hasText: "Run it." }).waitFor();
  assert.equal(await page.locator("section.file").count(), 1);
});

scene("a base that does not exist is said, with a way out", { path: "/?base=nowhere" }, async ({ desk, page }) => {
  const said = page.locator(".empty");
  await said.getByText("nowhere").waitFor();
  assert.equal(await said.locator("p").count(), 2, "there is a hint");
  await compare(page, "Uncommitted changes, or the branch");
  await desk.file(FILE).waitFor();
});

scene("a comparison without a submission before says so", async ({ page }) => {
  await compare(page, "Since my last submit");
  await page.waitForURL(/since-submit=1/);
  await page.locator(".empty b").waitFor();
});
