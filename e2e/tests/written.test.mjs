// Nothing that is half-written is lost, whatever happens around it.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const FILE = "src/cache.rs";
const ID = "7f3a";

const texts = async (desk) => (await desk.area.evaluateAll((areas) => areas.map((area) => area.value))).sort();

scene("two comments on neighbouring lines move together and stay two", async ({ desk, page, workspace }) => {
  await desk.number(FILE, 27).click();
  await page.keyboard.type("on the first");
  await desk.number(FILE, 28).click();
  await page.keyboard.type("on the second");
  workspace.write(FILE, `// One line more.\n${workspace.read(FILE)}`);
  const first = desk.composer.filter({ hasText: `${FILE}:28` });
  const second = desk.composer.filter({ hasText: `${FILE}:29` });
  await until(async () => (await first.count()) === 1 && (await second.count()) === 1, "both have moved");
  assert.deepEqual([await first.locator("textarea").inputValue(), await second.locator("textarea").inputValue()], ["on the first", "on the second"]);
  await page.reload();
  await desk.area.nth(1).waitFor();
  assert.deepEqual(await texts(desk), ["on the first", "on the second"]);
});

scene("a line that stands there twice is told by what is next to it", async ({ desk, page, workspace }) => {
  // The brace behind `evict` is one of many.
  await desk.number(FILE, 35).click();
  await page.keyboard.type("which brace?");
  workspace.write(FILE, `// One.\n// Two.\n${workspace.read(FILE)}`);
  const moved = desk.composer.filter({ hasText: `${FILE}:37` });
  await moved.waitFor();
  assert.equal(await desk.lineAbove(moved), 37);
});

scene("a thread that is resolved meanwhile stays open over a reply", async ({ desk, page, workspace }) => {
  const thread = desk.thread(ID);
  await desk.button("Reply…", thread).click();
  await page.keyboard.type("not yet");
  await workspace.skein("review", "resolve", ID, "--author", "Tom");
  await thread.locator(".tag.resolved").waitFor();
  await page.keyboard.type(" settled");
  assert.equal((await desk.writing()).value, "not yet settled");
  assert.ok(await thread.locator(".composer textarea").isVisible());
});

scene("a blank line can be commented on", async ({ desk, page }) => {
  await desk.number(FILE, 24).click();
  await page.keyboard.type("why this gap?");
  await page.keyboard.press("Control+Enter");
  await desk.thread("why this gap?").waitFor();
});

scene("lines that are folded away belong to a range across them", async ({ desk, page, workspace }) => {
  await desk.drag(FILE, 8, 17);
  await desk.composer.filter({ hasText: `${FILE}:8-17` }).waitFor();
  await page.keyboard.type("all of it");
  await page.keyboard.press("Control+Enter");
  await desk.thread("all of it").waitFor();
  assert.match(await workspace.skein("review", "list"), /src\/cache\.rs:8-17/);
});

scene("what has lost its place is named at the top of the changes", async ({ desk, page, workspace, server }) => {
  await desk.number("web/board.test.ts", 5).click();
  await page.keyboard.type("kept without a place");
  workspace.remove("web/board.test.ts");
  await page.getByText("These lines are not on the page any more").waitFor();
  await page.goto(`${server.origin}/`);
  const stray = page.locator(".unsent-text", { hasText: "web/board.test.ts:5" });
  await stray.locator("summary").click();
  await stray.getByText("kept without a place").waitFor();
  await desk.button("Discard", stray).click();
  await page.reload();
  await desk.connected();
  assert.equal(await page.locator(".unsent-text").count(), 0);
});

scene("tabs show the same half-written text, and what one sends is gone from the other", async ({ desk, page, window }) => {
  await desk.button("Reply…", desk.thread(ID)).click();
  await page.keyboard.type("from one tab");
  const other = await window.open("/");
  await until(async () => (await other.area.count()) === 1, "the other tab has it");
  await page.bringToFront();
  await desk.area.focus();
  await page.keyboard.type(" only");
  await until(async () => (await other.area.inputValue()) === "from one tab only", "what is typed is there too");
  await page.keyboard.press("Control+Enter");
  await other.comment("from one tab only").waitFor();
  await until(async () => (await other.area.count()) === 0, "there is nothing left to send");
});
