// An agent changes files under the page.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";
import { Workspace } from "../lib/workspace.mjs";

const FILE = "src/cache.rs";
const LONG = "list.txt";

// A file in which most lines are changed, and a thread in the middle of it.
async function long() {
  const line = (number) => `entry ${number} of the list`;
  const lines = Array.from({ length: 300 }, (_, index) => line(index + 1));
  const workspace = await Workspace.plain({ [LONG]: `${lines.join("\n")}\n` });
  const changed = lines.map((text, index) => (index >= 40 && index < 260 ? `${text}, changed` : text));
  workspace.write(LONG, `${changed.join("\n")}\n`);
  await workspace.skein("review", "add", `${LONG}:120`, "-m", "Is this the right one?");
  return workspace;
}

const above = (text) => text.replace(/^entry 50 .*$/m, (line) => `${"something else\n".repeat(10)}${line}`);

scene("lines that are added above move threads, and a half-written comment, along", { make: long }, async ({ desk, page, workspace }) => {
  const thread = desk.thread("Is this the right one?");
  await desk.number(LONG, 150).click();
  await page.keyboard.type("half written");
  await page.keyboard.press("ArrowLeft");
  const top = await desk.top(desk.composer);
  workspace.edit(LONG, above);
  await desk.composer.getByText(`${LONG}:160`).waitFor();
  assert.equal(await desk.lineAbove(desk.composer), 160);
  assert.ok(Math.abs((await desk.top(desk.composer)) - top) < 2, "the field stays where it is in the window");
  assert.deepEqual(await desk.writing(), { localName: "textarea", value: "half written", selectionStart: 11, selectionEnd: 11 });
  await until(async () => (await desk.lineAbove(thread)) === 130, "the thread stands at its line");
  await desk.button("Comment").click();
  await desk.thread("half written").waitFor();
  assert.match(await workspace.skein("review", "list"), /list\.txt:160 .*half written/);
});

scene("half-written comments on neighbouring lines stay apart when lines are added above", { make: long }, async ({ desk, page, workspace }) => {
  for (const line of [150, 151]) {
    await desk.number(LONG, line).click();
    await page.keyboard.type(`on entry ${line}`);
  }
  // The second of them stands where the first will be.
  workspace.edit(LONG, (text) => text.replace(/^entry 50 .*$/m, (line) => `something else\n${line}`));
  const at = (line) => desk.composer.filter({ hasText: `${LONG}:${line}` }).locator("textarea");
  await at(152).waitFor();
  assert.equal(await at(151).inputValue(), "on entry 150");
  assert.equal(await at(152).inputValue(), "on entry 151");
  await page.reload();
  await at(152).waitFor();
  assert.equal(await at(151).inputValue(), "on entry 150");
  assert.equal(await at(152).inputValue(), "on entry 151");
});

scene("lines that are added above leave the line under the eyes where it is", { make: long }, async ({ desk, page, workspace }) => {
  const line = page.locator("tr.add", { hasText: "entry 200 of the list, changed" });
  await line.scrollIntoViewIfNeeded();
  const top = await desk.top(line);
  const scrolled = await desk.scroll();
  workspace.edit(LONG, above);
  await until(async () => (await desk.scroll()) !== scrolled, "the page has made room");
  await desk.row(LONG, 210).filter({ hasText: "entry 200 of the list, changed" }).waitFor();
  assert.ok(Math.abs((await desk.top(line)) - top) < 2, `it stood at ${top}, and stands at ${await desk.top(line)}`);
});

scene("a commented line that is edited shows both texts", async ({ desk, workspace }) => {
  workspace.edit(FILE, (text) => text.replace("if let Some(key) = oldest {", "while let Some(key) = oldest {"));
  const thread = desk.thread("b21d");
  await thread.locator(".tag.state.edited").waitFor();
  assert.match(await thread.locator(".texts .old-text").textContent(), /self\.entries\.remove\(&oldest\.unwrap\(\)\)|if let Some\(key\) = oldest/);
  assert.match(await thread.locator(".texts .now").textContent(), /while let Some\(key\) = oldest/);
  assert.equal(await desk.lineAbove(thread), 34);
});

scene("a commented line that is deleted leaves its thread apart, with the old text", async ({ desk, page, workspace }) => {
  await desk.number(FILE, 25).click();
  await page.keyboard.type("Say when there is none.");
  await desk.button("Comment").click();
  const thread = desk.thread("Say when there is none.");
  await thread.waitFor();
  workspace.edit(FILE, (text) => text.replace(/^.*\/\/\/ Removes the oldest.*\n/m, ""));
  await thread.locator(".tag.state.gone").waitFor();
  assert.match(await thread.locator(".texts .old-text").textContent(), /\/\/\/ Removes the oldest entry, if there is one\./);
  await desk.file(FILE).locator(".outside-threads .thread", { hasText: "Say when there is none." }).waitFor();
  assert.match(await workspace.skein("review", "list"), /src\/cache\.rs \(gone\) .*Say when there is none/);
});

scene("a half-written reply goes with its thread when the code is deleted, and comes back with it", async ({ desk, page, workspace }) => {
  const text = workspace.read(FILE);
  const thread = desk.thread("b21d");
  await desk.button("Reply…", thread).click();
  await page.keyboard.type("half written");
  await page.keyboard.press("ArrowLeft");
  const writes = { localName: "textarea", value: "half written", selectionStart: 11, selectionEnd: 11 };
  workspace.write(FILE, "pub struct Nothing;\n");
  await desk.file(FILE).locator(".outside-threads .thread[data-thread^=b21d] .composer").waitFor();
  assert.deepEqual(await desk.writing(), writes);
  workspace.write(FILE, text);
  await until(async () => (await desk.lineAbove(thread)) === 34, "the thread is back at its lines");
  assert.deepEqual(await desk.writing(), writes);
});

scene("code that moved to another file takes its thread along, which says whence", async ({ desk, page, workspace }) => {
  const text = workspace.read(FILE);
  const from = text.indexOf("    /// Removes the oldest");
  const moved = text.slice(from, text.lastIndexOf("}"));
  workspace.write("src/evict.rs", `impl Cache {\n${moved}}\n`);
  workspace.write(FILE, `${text.slice(0, from)}}\n`);
  await workspace.git("add", "--all");
  const thread = desk.file("src/evict.rs").locator(".thread[data-thread^=b21d]");
  await thread.waitFor();
  await thread.getByText(`The thread was started on ${FILE}`).waitFor();
  await thread.getByRole("link", { name: "the code is now in this file" }).click();
  await page.waitForURL(/\/file\/src\/evict\.rs#t-b21d/);
  await desk.thread("b21d").waitFor();
});

scene("a file that is deleted shows so, with its threads", async ({ desk, workspace }) => {
  await desk.thread("7f3a").waitFor();
  workspace.remove(FILE);
  await desk.file(FILE).locator(".tag.deleted").waitFor();
  const thread = desk.file(FILE).locator(".outside-threads .thread[data-thread^='7f3a']");
  await thread.locator(".tag.state.gone").waitFor();
  assert.match(await thread.locator(".texts .old-text").textContent(), /self\.entries\.len\(\) >= self\.limit/);
});

scene("a file that is renamed takes its threads along", async ({ desk, window, workspace }) => {
  // The page may ask for the file in the moment before it knows the new name.
  window.faults.expect(/status of 404/);
  workspace.rename(FILE, "src/store.rs");
  await workspace.git("add", "--all");
  const thread = desk.file("src/store.rs").locator(".thread[data-thread^='7f3a']");
  await thread.waitFor();
  await thread.getByText(`The thread was started on ${FILE}`).waitFor();
  await desk.file("src/store.rs").locator(".tag.renamed").waitFor();
  assert.equal(await desk.file(FILE).count(), 0);
});

scene("a comment on lines that changed meanwhile shows both texts, and can be sent", async ({ desk, page, window, workspace }) => {
  window.faults.expect(/status of 409/);
  await desk.number(FILE, 25).click();
  await page.keyboard.type("A good sentence.");
  workspace.edit(FILE, (text) => text.replace("/// Removes the oldest entry, if there is one.", "/// Removes one."));
  await desk.composer.getByText("These lines were changed while you were writing.").waitFor();
  assert.equal((await desk.writing()).value, "A good sentence.");
  await desk.button("Comment").click();
  const both = desk.composer.locator(".compare-columns");
  await both.getByText("/// Removes the oldest entry, if there is one.").waitFor();
  await both.getByText("/// Removes one.").waitFor();
  assert.doesNotMatch(await workspace.skein("review", "list"), /A good sentence/);
  await desk.button("Comment on the current lines").click();
  await desk.thread("A good sentence.").waitFor();
  await desk.composer.waitFor({ state: "detached" });
  assert.match(await workspace.skein("review", "list"), /src\/cache\.rs:25 .*A good sentence/);
});

scene("a half-written comment on lines that are gone is kept in sight", async ({ desk, page, workspace }) => {
  await desk.number(FILE, 25).click();
  await page.keyboard.type("Where did it go?");
  workspace.remove(FILE);
  await desk.composer.getByText("Your text is kept.").waitFor();
  assert.equal(await desk.area.inputValue(), "Where did it go?");
});

scene("a commit by the agent leaves what is half-written", async ({ desk, page, workspace }) => {
  await desk.number(FILE, 25).click();
  await page.keyboard.type("Before the commit.");
  await workspace.commit("done");
  await desk.file(FILE).waitFor({ state: "detached" });
  assert.equal(await desk.area.inputValue(), "Before the commit.");
  workspace.edit(FILE, (text) => text.replace("use std::time::Instant;", "use std::time::Instant as When;"));
  await desk.file(FILE).waitFor();
  await until(async () => (await desk.area.count()) === 1, "there is one field");
  assert.equal(await desk.area.inputValue(), "Before the commit.");
});
