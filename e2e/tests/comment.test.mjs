// Starting threads: at once, and as a review that is submitted together.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { gate, until } from "../lib/until.mjs";

const FILE = "src/cache.rs";

scene("a comment is added by a click on a line's number", async ({ ui, page, workspace }) => {
  await ui.number(FILE, 30).click();
  assert.equal((await ui.writing()).localName, "textarea");
  await page.keyboard.type("Why clone here?");
  await ui.button("Comment").click();
  const thread = ui.thread("Why clone here?");
  await thread.waitFor();
  assert.equal(await ui.lineAbove(thread), 30);
  await ui.composer.waitFor({ state: "detached" });
  const shown = await workspace.skein("review", "show", await ui.idOf(thread));
  assert.match(shown, /src\/cache\.rs:30 {2}open, waiting on an agent/);
  assert.match(shown, /Mira Okafor.*\n {2}Why clone here\?/);
});

scene("an empty line can be commented on", async ({ ui, page, workspace }) => {
  await ui.number(FILE, 24).click();
  await page.keyboard.type("Leave no gap.");
  await ui.button("Comment").click();
  const thread = ui.thread("Leave no gap.");
  await thread.waitFor();
  assert.equal(await ui.lineAbove(thread), 24);
  assert.match(await workspace.skein("review", "list"), /src\/cache\.rs:24 .*Leave no gap/);
});

scene("Markdown in a comment is rendered", async ({ ui, page }) => {
  await ui.number(FILE, 30).click();
  await ui.area.fill("Why **clone** the `key`?\n\n- once\n- twice\n\n```rust\nfn main() {}\n```\n");
  await page.keyboard.press("Control+Enter");
  const body = ui.thread("Why clone the key").locator(".md");
  await body.waitFor();
  assert.equal(await body.locator("strong").textContent(), "clone");
  assert.equal(await body.locator("p code").textContent(), "key");
  assert.deepEqual(await body.locator("li").allTextContents(), ["once", "twice"]);
  assert.equal(await body.locator("pre i.k").first().textContent(), "fn");
});

scene("a comment is added on a range that is dragged upwards", async ({ ui, page, workspace }) => {
  await ui.drag(FILE, 29, 26);
  await ui.composer.getByText(`${FILE}:26-29`).waitFor();
  await page.keyboard.type("A chain is hard to read.");
  await page.keyboard.press("Control+Enter");
  const thread = ui.thread("A chain is hard to read.");
  await thread.waitFor();
  assert.equal(await ui.lineAbove(thread), 29);
  assert.match(await workspace.skein("review", "show", await ui.idOf(thread)), /src\/cache\.rs:26-29 /);
});

scene("Shift and a click select the lines from the last click on", async ({ ui, page }) => {
  await ui.number(FILE, 26).click();
  await page.keyboard.press("Escape");
  await ui.number(FILE, 28).click({ modifiers: ["Shift"] });
  await ui.composer.getByText(`${FILE}:26-28`).waitFor();
});

scene("a comment is added on a whole file", async ({ ui, page, workspace }) => {
  await ui.button(`Comment on file ${FILE}`).click();
  await page.keyboard.type("There are no tests.");
  await ui.button("Comment").click();
  const thread = ui.thread("There are no tests.");
  await thread.waitFor();
  assert.equal(await ui.lineAbove(thread), null);
  assert.match(await workspace.skein("review", "show", await ui.idOf(thread)), /^src\/cache\.rs {2}open/);
});

scene("an empty comment is not sent", async ({ ui, workspace }) => {
  const before = await workspace.skein("review", "list");
  await ui.number(FILE, 30).click();
  await ui.button("Comment").click();
  await ui.composer.getByText("Write something first.").waitFor();
  assert.equal(await workspace.skein("review", "list"), before);
});

scene("Undo restores a discarded comment", async ({ ui, page }) => {
  await ui.number(FILE, 30).click();
  await page.keyboard.type("Not so fast.");
  await ui.button("Cancel").click();
  await ui.composer.waitFor({ state: "detached" });
  await ui.button("Undo").click();
  assert.equal(await ui.area.inputValue(), "Not so fast.");
  assert.equal(await ui.lineAbove(ui.composer), 30);
});

scene("drafts are submitted together, and the page does not move", async ({ ui, page, workspace }) => {
  await ui.number(FILE, 19).click();
  await page.keyboard.type("First.");
  await ui.button("Add to review").click();
  await ui.thread("First.").waitFor();
  await ui.number(FILE, 30).click();
  await page.keyboard.type("Second.");
  // If there is a draft, these keys add another draft.
  await page.keyboard.press("Control+Enter");
  await ui.thread("Second.").waitFor();
  assert.match(await page.locator("#submit").textContent(), /Submit review\s+2/);
  assert.doesNotMatch(await workspace.agent("review", "list"), /First|Second/);
  assert.match(await workspace.skein("review", "list", "--drafts"), /First[^]*Second|Second[^]*First/);

  await page.mouse.wheel(0, 260);
  await until(async () => (await ui.scroll()) >= 260, "the page is scrolled");
  const line = ui.row(FILE, 26);
  const top = await ui.top(line);
  await ui.tap(page.locator("#submit"));
  await page.locator("#submit").waitFor({ state: "detached" });
  await ui.toast.getByText("Submitted 2 comments.").waitFor();
  await page.locator(".thread.draft").first().waitFor({ state: "detached" });
  assert.ok(Math.abs((await ui.top(line)) - top) < 2, "the visible line stays where it is");
  assert.match(await workspace.agent("review", "list", "waiting:agent"), /First[^]*Second|Second[^]*First/);
});

scene("a draft is discarded and restored", async ({ ui, page, workspace }) => {
  await ui.number(FILE, 30).click();
  await page.keyboard.type("Perhaps.");
  await page.keyboard.press("Control+Shift+Enter");
  const draft = ui.thread("Perhaps.");
  await draft.waitFor();
  await ui.button("Discard", draft).click();
  await draft.waitFor({ state: "detached" });
  await page.locator("#submit").waitFor({ state: "detached" });
  await ui.button("Undo").click();
  await draft.waitFor();
  assert.match(await workspace.skein("review", "list", "--drafts"), /Perhaps/);
});

scene("a draft is edited before it is submitted", async ({ ui, page, workspace }) => {
  await ui.number(FILE, 30).click();
  await page.keyboard.type("Too harsh.");
  await ui.button("Add to review").click();
  const draft = ui.thread("Too harsh.");
  await draft.locator(".comment").hover();
  await ui.button("Edit your comment", draft).click();
  await ui.area.fill("Friendlier.");
  await ui.button("Save").click();
  await ui.thread("Friendlier.").waitFor();
  await ui.composer.waitFor({ state: "detached" });
  await ui.tap(page.locator("#submit"));
  await page.locator("#submit").waitFor({ state: "detached" });
  assert.match(await workspace.agent("review", "list"), /Friendlier/);
  assert.doesNotMatch(await workspace.agent("review", "list"), /Too harsh/);
});

scene("a suggestion is written from the selected lines", async ({ ui, page, workspace }) => {
  await ui.drag(FILE, 32, 34);
  await page.keyboard.type("Shorter:");
  await ui.button("Suggest a change").click();
  const lines = workspace.read(FILE).split("\n").slice(31, 34).join("\n");
  assert.equal(await ui.area.inputValue(), `Shorter:\n\`\`\`suggestion\n${lines}\n\`\`\`\n`);
  // The old lines are selected, so typed text replaces them.
  await page.keyboard.type("        oldest.map(|key| self.entries.remove(&key));");
  await ui.button("Comment").click();
  const thread = ui.thread("Shorter:");
  await thread.waitFor();
  await ui.button("Apply suggestion…", thread).waitFor();
  const shown = await workspace.skein("review", "apply", await ui.idOf(thread), "--dry-run");
  assert.match(shown, /- {8}if let Some\(key\) = oldest \{\n.*\n.*\n {2}\+ {8}oldest\.map/);
});

scene("sending a comment does not interrupt writing the next one", async ({ ui, page }) => {
  const typed = gate();
  await page.route("**/api/v1/threads", (route) => typed.opened.then(() => route.continue()));
  await ui.number(FILE, 25).click();
  await page.keyboard.type("The first.");
  await page.keyboard.press("Control+Enter");
  await ui.number(FILE, 30).click();
  await page.keyboard.type("The second");
  typed.open();
  await ui.thread("The first.").waitFor();
  await ui.composer.filter({ hasText: `${FILE}:25` }).waitFor({ state: "detached" });
  await page.keyboard.type(" one.");
  assert.equal((await ui.writing()).value, "The second one.");
});
