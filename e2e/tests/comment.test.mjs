// Starting threads: at once, and as a review that is submitted together.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const FILE = "src/cache.rs";

scene("a comment is added by a click on a line's number", async ({ desk, page, workspace }) => {
  await desk.number(FILE, 30).click();
  assert.equal((await desk.writing()).localName, "textarea");
  await page.keyboard.type("Why clone here?");
  await desk.button("Comment").click();
  const thread = desk.thread("Why clone here?");
  await thread.waitFor();
  assert.equal(await desk.lineAbove(thread), 30);
  await desk.composer.waitFor({ state: "detached" });
  const shown = await workspace.skein("review", "show", await desk.idOf(thread));
  assert.match(shown, /src\/cache\.rs:30 {2}open, waiting on an agent/);
  assert.match(shown, /Mira Okafor.*\n {2}Why clone here\?/);
});

scene("an empty line can be commented on", async ({ desk, page, workspace }) => {
  await desk.number(FILE, 24).click();
  await page.keyboard.type("Leave no gap.");
  await desk.button("Comment").click();
  const thread = desk.thread("Leave no gap.");
  await thread.waitFor();
  assert.equal(await desk.lineAbove(thread), 24);
  assert.match(await workspace.skein("review", "list"), /src\/cache\.rs:24 .*Leave no gap/);
});

scene("what is written as Markdown is shown as such", async ({ desk, page }) => {
  await desk.number(FILE, 30).click();
  await desk.area.fill("Why **clone** the `key`?\n\n- once\n- twice\n\n```rust\nfn main() {}\n```\n");
  await page.keyboard.press("Control+Enter");
  const said = desk.thread("Why clone the key").locator(".md");
  await said.waitFor();
  assert.equal(await said.locator("strong").textContent(), "clone");
  assert.equal(await said.locator("p code").textContent(), "key");
  assert.deepEqual(await said.locator("li").allTextContents(), ["once", "twice"]);
  assert.equal(await said.locator("pre i.k").first().textContent(), "fn");
});

scene("a comment is added on a range that is dragged, upwards as well", async ({ desk, page, workspace }) => {
  await desk.drag(FILE, 29, 26);
  await desk.composer.getByText(`${FILE}:26-29`).waitFor();
  await page.keyboard.type("A chain is hard to read.");
  await page.keyboard.press("Control+Enter");
  const thread = desk.thread("A chain is hard to read.");
  await thread.waitFor();
  assert.equal(await desk.lineAbove(thread), 29);
  assert.match(await workspace.skein("review", "show", await desk.idOf(thread)), /src\/cache\.rs:26-29 /);
});

scene("Shift and a click take the lines from the last click on", async ({ desk, page }) => {
  await desk.number(FILE, 26).click();
  await page.keyboard.press("Escape");
  await desk.number(FILE, 28).click({ modifiers: ["Shift"] });
  await desk.composer.getByText(`${FILE}:26-28`).waitFor();
});

scene("a comment is added on a whole file", async ({ desk, page, workspace }) => {
  await desk.button(`Comment on file ${FILE}`).click();
  await page.keyboard.type("There are no tests.");
  await desk.button("Comment").click();
  const thread = desk.thread("There are no tests.");
  await thread.waitFor();
  assert.equal(await desk.lineAbove(thread), null);
  assert.match(await workspace.skein("review", "show", await desk.idOf(thread)), /^src\/cache\.rs {2}open/);
});

scene("an empty comment is not sent", async ({ desk, workspace }) => {
  const before = await workspace.skein("review", "list");
  await desk.number(FILE, 30).click();
  await desk.button("Comment").click();
  await desk.composer.getByText("Write something first.").waitFor();
  assert.equal(await workspace.skein("review", "list"), before);
});

scene("what was discarded comes back with Undo", async ({ desk, page }) => {
  await desk.number(FILE, 30).click();
  await page.keyboard.type("Not so fast.");
  await desk.button("Cancel").click();
  await desk.composer.waitFor({ state: "detached" });
  await desk.button("Undo").click();
  assert.equal(await desk.area.inputValue(), "Not so fast.");
  assert.equal(await desk.lineAbove(desk.composer), 30);
});

scene("a review of drafts is submitted together, and nothing moves", async ({ desk, page, workspace }) => {
  await desk.number(FILE, 19).click();
  await page.keyboard.type("First.");
  await desk.button("Add to review").click();
  await desk.thread("First.").waitFor();
  await desk.number(FILE, 30).click();
  await page.keyboard.type("Second.");
  // With a draft there, drafting is what the keys do.
  await page.keyboard.press("Control+Enter");
  await desk.thread("Second.").waitFor();
  assert.match(await page.locator("#submit").textContent(), /Submit review\s+2/);
  assert.doesNotMatch(await workspace.agent("review", "list"), /First|Second/);
  assert.match(await workspace.skein("review", "list", "--drafts"), /First[^]*Second|Second[^]*First/);

  await page.mouse.wheel(0, 260);
  await until(async () => (await desk.scroll()) >= 260, "the page is scrolled");
  const line = desk.row(FILE, 26);
  const top = await desk.top(line);
  await desk.tap(page.locator("#submit"));
  await page.locator("#submit").waitFor({ state: "detached" });
  await desk.toast.getByText("Submitted 2 comments.").waitFor();
  await page.locator(".thread.draft").first().waitFor({ state: "detached" });
  assert.ok(Math.abs((await desk.top(line)) - top) < 2, "the line under the eyes stays where it is");
  assert.match(await workspace.agent("review", "list", "waiting:agent"), /First[^]*Second|Second[^]*First/);
});

scene("a draft is discarded and brought back", async ({ desk, page, workspace }) => {
  await desk.number(FILE, 30).click();
  await page.keyboard.type("Perhaps.");
  await page.keyboard.press("Control+Shift+Enter");
  const draft = desk.thread("Perhaps.");
  await draft.waitFor();
  await desk.button("Discard", draft).click();
  await draft.waitFor({ state: "detached" });
  await page.locator("#submit").waitFor({ state: "detached" });
  await desk.button("Undo").click();
  await draft.waitFor();
  assert.match(await workspace.skein("review", "list", "--drafts"), /Perhaps/);
});

scene("a draft is edited before it is submitted", async ({ desk, page, workspace }) => {
  await desk.number(FILE, 30).click();
  await page.keyboard.type("Too harsh.");
  await desk.button("Add to review").click();
  const draft = desk.thread("Too harsh.");
  await draft.locator(".comment").hover();
  await desk.button("Edit your comment", draft).click();
  await desk.area.fill("Friendlier.");
  await desk.button("Save").click();
  await desk.thread("Friendlier.").waitFor();
  await desk.composer.waitFor({ state: "detached" });
  await desk.tap(page.locator("#submit"));
  await page.locator("#submit").waitFor({ state: "detached" });
  assert.match(await workspace.agent("review", "list"), /Friendlier/);
  assert.doesNotMatch(await workspace.agent("review", "list"), /Too harsh/);
});

scene("a suggestion is written from the selected lines", async ({ desk, page, workspace }) => {
  await desk.drag(FILE, 32, 34);
  await page.keyboard.type("Shorter:");
  await desk.button("Suggest a change").click();
  const lines = workspace.read(FILE).split("\n").slice(31, 34).join("\n");
  assert.equal(await desk.area.inputValue(), `Shorter:\n\`\`\`suggestion\n${lines}\n\`\`\`\n`);
  // The old lines are selected, so that what one types stands in their place.
  await page.keyboard.type("        oldest.map(|key| self.entries.remove(&key));");
  await desk.button("Comment").click();
  const thread = desk.thread("Shorter:");
  await thread.waitFor();
  await desk.button("Apply suggestion…", thread).waitFor();
  const shown = await workspace.skein("review", "apply", await desk.idOf(thread), "--dry-run");
  assert.match(shown, /- {8}if let Some\(key\) = oldest \{\n.*\n.*\n {2}\+ {8}oldest\.map/);
});

scene("who writes the next comment already goes on writing when the first one has been sent", async ({ desk, page }) => {
  await page.route("**/api/v1/threads", async (route) => {
    await new Promise((done) => setTimeout(done, 500));
    await route.continue();
  });
  await desk.number(FILE, 25).click();
  await page.keyboard.type("The first.");
  await page.keyboard.press("Control+Enter");
  await desk.number(FILE, 30).click();
  await page.keyboard.type("The second");
  await desk.thread("The first.").waitFor();
  await desk.composer.filter({ hasText: `${FILE}:25` }).waitFor({ state: "detached" });
  await page.waitForTimeout(300);
  await page.keyboard.type(" one.");
  assert.equal((await desk.writing()).value, "The second one.");
});
