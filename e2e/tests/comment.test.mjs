// Starting threads: at once, and as a review that is submitted together.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";

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
