// Half-written text is not lost when files and threads change.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const FILE = "src/cache.rs";
const ID = "7f3a";

const texts = async (ui) => (await ui.area.evaluateAll((areas) => areas.map((area) => area.value))).sort();

scene("two half-written comments on neighbouring lines move with their lines", async ({ ui, page, workspace }) => {
  await ui.number(FILE, 27).click();
  await page.keyboard.type("on the first");
  await ui.number(FILE, 28).click();
  await page.keyboard.type("on the second");
  workspace.write(FILE, `// One line more.\n${workspace.read(FILE)}`);
  const first = ui.composer.filter({ hasText: `${FILE}:28` });
  const second = ui.composer.filter({ hasText: `${FILE}:29` });
  await until(async () => (await first.count()) === 1 && (await second.count()) === 1, "both have moved");
  assert.deepEqual([await first.locator("textarea").inputValue(), await second.locator("textarea").inputValue()], ["on the first", "on the second"]);
  await page.reload();
  await ui.area.nth(1).waitFor();
  assert.deepEqual(await texts(ui), ["on the first", "on the second"]);
});

scene("a line that occurs twice is identified by its context", async ({ ui, page, workspace }) => {
  // The closing brace of `evict` occurs many times.
  await ui.number(FILE, 35).click();
  await page.keyboard.type("which brace?");
  workspace.write(FILE, `// One.\n// Two.\n${workspace.read(FILE)}`);
  const moved = ui.composer.filter({ hasText: `${FILE}:37` });
  await moved.waitFor();
  assert.equal(await ui.lineAbove(moved), 37);
});

scene("a thread that another user resolves stays unfolded during a reply", async ({ ui, page, workspace }) => {
  const thread = ui.thread(ID);
  await ui.button("Reply…", thread).click();
  await page.keyboard.type("not yet");
  await workspace.skein("review", "resolve", ID, "--author", "Tom");
  await thread.locator(".tag.resolved").waitFor();
  await page.keyboard.type(" settled");
  assert.equal((await ui.writing()).value, "not yet settled");
  assert.ok(await thread.locator(".composer textarea").isVisible());
});

scene("a blank line can be commented on", async ({ ui, page }) => {
  await ui.number(FILE, 24).click();
  await page.keyboard.type("why this gap?");
  await page.keyboard.press("Control+Enter");
  await ui.thread("why this gap?").waitFor();
});

scene("a range across folded lines includes them", async ({ ui, page, workspace }) => {
  await ui.drag(FILE, 8, 17);
  await ui.composer.filter({ hasText: `${FILE}:8-17` }).waitFor();
  await page.keyboard.type("all of it");
  await page.keyboard.press("Control+Enter");
  await ui.thread("all of it").waitFor();
  assert.match(await workspace.skein("review", "list"), /src\/cache\.rs:8-17/);
});

scene("a half-written comment without its lines is listed at the top of the changes", async ({ ui, page, workspace, server }) => {
  await ui.number("web/board.test.ts", 5).click();
  await page.keyboard.type("kept without a place");
  workspace.remove("web/board.test.ts");
  await page.getByText("These lines are not on the page any more").waitFor();
  await page.goto(`${server.origin}/`);
  const unsent = page.locator(".unsent-text", { hasText: "web/board.test.ts:5" });
  await unsent.locator("summary").click();
  await unsent.getByText("kept without a place").waitFor();
  await ui.button("Discard", unsent).click();
  await page.reload();
  await ui.connected();
  assert.equal(await page.locator(".unsent-text").count(), 0);
});

scene("tabs show the same half-written text, and sending it in one removes it from the other", async ({ ui, page, window }) => {
  await ui.button("Reply…", ui.thread(ID)).click();
  await page.keyboard.type("from one tab");
  const other = await window.open("/");
  await until(async () => (await other.area.count()) === 1, "the other tab has it");
  await page.bringToFront();
  await ui.area.focus();
  await page.keyboard.type(" only");
  await until(async () => (await other.area.inputValue()) === "from one tab only", "typed text appears there too");
  await page.keyboard.press("Control+Enter");
  await other.comment("from one tab only").waitFor();
  await until(async () => (await other.area.count()) === 0, "nothing is left to send");
});

scene("a text that another tab sent is not sent again from a field that has the focus", async ({ ui, page, window }) => {
  await ui.button("Reply…", ui.thread(ID)).click();
  await page.keyboard.type("sent once");
  const other = await window.open("/");
  await other.area.focus();
  await page.bringToFront();
  await page.keyboard.press("Control+Enter");
  await other.comment("sent once").waitFor();
  await until(async () => (await other.area.count()) === 0, "nothing is left to send");
});
