// An agent changes files while the page is open.
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

scene("threads and a half-written comment move with their lines when lines are added above", { make: long }, async ({ ui, page, workspace }) => {
  const thread = ui.thread("Is this the right one?");
  await ui.number(LONG, 150).click();
  await page.keyboard.type("half written");
  await page.keyboard.press("ArrowLeft");
  const top = await ui.top(ui.composer);
  workspace.edit(LONG, above);
  await ui.composer.getByText(`${LONG}:160`).waitFor();
  assert.equal(await ui.lineAbove(ui.composer), 160);
  assert.ok(Math.abs((await ui.top(ui.composer)) - top) < 2, "the field stays where it is in the window");
  assert.deepEqual(await ui.writing(), { localName: "textarea", value: "half written", selectionStart: 11, selectionEnd: 11 });
  await until(async () => (await ui.lineAbove(thread)) === 130, "the thread is at its line");
  await ui.button("Comment").click();
  await ui.thread("half written").waitFor();
  assert.match(await workspace.skein("review", "list"), /list\.txt:160 .*half written/);
});

const twice = () => Workspace.plain({ "a.txt": `first one\nfirst two\nreturn;\nfirst end\n${"between\n".repeat(5)}other one\nother two\nreturn;\nother end\n` });

scene("a half-written comment on a deleted line does not move to an equal line elsewhere", { make: twice }, async ({ ui, page, workspace }) => {
  workspace.edit("a.txt", (text) => `${text}last\n`);
  await page.goto(`${new URL(page.url()).origin}/file/a.txt`);
  await ui.number("a.txt", 3).click();
  await page.keyboard.type("Why return here?");
  workspace.edit("a.txt", (text) => text.replace("return;\n", ""));
  await ui.composer.getByText("These lines were changed while you were writing.").waitFor();
  assert.equal(await ui.lineAbove(ui.composer), 3);
  workspace.edit("a.txt", (text) => `zero\nzero\n${text.replace("first two\n", "first two\nreturn;\n")}`);
  await ui.composer.getByText("These lines have moved: line 3 is now line 5.").waitFor();
  assert.equal(await ui.lineAbove(ui.composer), 5);
});

scene("half-written comments on neighbouring lines stay on their lines when lines are added above", { make: long }, async ({ ui, page, workspace }) => {
  for (const line of [150, 151]) {
    await ui.number(LONG, line).click();
    await page.keyboard.type(`on entry ${line}`);
  }
  // The second comment is on the line that the first one moves to.
  workspace.edit(LONG, (text) => text.replace(/^entry 50 .*$/m, (line) => `something else\n${line}`));
  const at = (line) => ui.composer.filter({ hasText: `${LONG}:${line}` }).locator("textarea");
  await at(152).waitFor();
  assert.equal(await at(151).inputValue(), "on entry 150");
  assert.equal(await at(152).inputValue(), "on entry 151");
  await page.reload();
  await at(152).waitFor();
  assert.equal(await at(151).inputValue(), "on entry 150");
  assert.equal(await at(152).inputValue(), "on entry 151");
});

scene("lines that are added above do not move the visible lines in the window", { make: long }, async ({ ui, page, workspace }) => {
  const line = page.locator("tr.add", { hasText: "entry 200 of the list, changed" });
  await line.scrollIntoViewIfNeeded();
  await ui.settled(line);
  const top = await ui.top(line);
  const scrolled = await ui.scroll();
  workspace.edit(LONG, above);
  await until(async () => (await ui.scroll()) !== scrolled, "the page has scrolled");
  await ui.row(LONG, 210).filter({ hasText: "entry 200 of the list, changed" }).waitFor();
  assert.ok(Math.abs((await ui.top(line)) - top) < 2, `it was at ${top}, and is at ${await ui.top(line)}`);
});

scene("a commented line that is edited shows both texts", async ({ ui, workspace }) => {
  workspace.edit(FILE, (text) => text.replace("if let Some(key) = oldest {", "while let Some(key) = oldest {"));
  const thread = ui.thread("b21d");
  await thread.locator(".tag.state.edited").waitFor();
  assert.match(await thread.locator(".texts .old-text").textContent(), /self\.entries\.remove\(&oldest\.unwrap\(\)\)|if let Some\(key\) = oldest/);
  assert.match(await thread.locator(".texts .now").textContent(), /while let Some\(key\) = oldest/);
  assert.equal(await ui.lineAbove(thread), 34);
});

const plain = () => Workspace.plain({ "a.rs": "fn f() {\n    begin();\n    return;\n    end();\n}\n" });

scene("a line that was replaced by others keeps its thread in the hunk", { make: plain, path: null }, async ({ window, workspace }) => {
  await workspace.skein("review", "add", "a.rs:3", "-m", "Evict here.");
  workspace.edit("a.rs", (text) => text.replace("    return;\n", "    self.evict();\n    log(all);\n"));
  const ui = await window.open("/");
  const thread = ui.thread("Evict here.");
  await thread.locator(".tag.state.replaced").filter({ hasText: "85 % sure" }).waitFor();
  assert.equal(await ui.lineAbove(thread), 4);
  assert.match(await thread.locator(".old-text").textContent(), /return;/);
});

scene("a thread on a deleted line is shown outside of the code, with the old text", async ({ ui, page, workspace }) => {
  await ui.number(FILE, 25).click();
  await page.keyboard.type("Say when there is none.");
  await ui.button("Comment").click();
  const thread = ui.thread("Say when there is none.");
  await thread.waitFor();
  workspace.edit(FILE, (text) => text.replace(/^.*\/\/\/ Removes the oldest.*\n/m, ""));
  await thread.locator(".tag.state.gone").waitFor();
  assert.match(await thread.locator(".texts .old-text").textContent(), /\/\/\/ Removes the oldest entry, if there is one\./);
  await ui.file(FILE).locator(".outside-threads .thread", { hasText: "Say when there is none." }).waitFor();
  assert.match(await workspace.skein("review", "list"), /src\/cache\.rs \(gone\) .*Say when there is none/);
});

scene("a half-written reply moves with its thread when the code is deleted and restored", async ({ ui, page, workspace }) => {
  const text = workspace.read(FILE);
  const thread = ui.thread("b21d");
  await ui.button("Reply…", thread).click();
  await page.keyboard.type("half written");
  await page.keyboard.press("ArrowLeft");
  const writes = { localName: "textarea", value: "half written", selectionStart: 11, selectionEnd: 11 };
  workspace.write(FILE, "pub struct Nothing;\n");
  await ui.file(FILE).locator(".outside-threads .thread[data-thread^=b21d] .composer").waitFor();
  assert.deepEqual(await ui.writing(), writes);
  workspace.write(FILE, text);
  await until(async () => (await ui.lineAbove(thread)) === 34, "the thread is back at its lines");
  assert.deepEqual(await ui.writing(), writes);
});

scene("a thread moves with its code to another file, and names the file that it was started on", async ({ ui, page, workspace }) => {
  const text = workspace.read(FILE);
  const from = text.indexOf("    /// Removes the oldest");
  const moved = text.slice(from, text.lastIndexOf("}"));
  workspace.write("src/evict.rs", `impl Cache {\n${moved}}\n`);
  workspace.write(FILE, `${text.slice(0, from)}}\n`);
  await workspace.git("add", "--all");
  const thread = ui.file("src/evict.rs").locator(".thread[data-thread^=b21d]");
  await thread.waitFor();
  await thread.getByText(`The thread was started on ${FILE}`).waitFor();
  await thread.getByRole("link", { name: "the code is now in this file" }).click();
  await page.waitForURL(/\/file\/src\/evict\.rs#t-b21d/);
  await ui.thread("b21d").waitFor();
});

scene("a deleted file is shown as deleted, with its threads", async ({ ui, workspace }) => {
  await ui.thread("7f3a").waitFor();
  workspace.remove(FILE);
  await ui.file(FILE).locator(".tag.deleted").waitFor();
  const thread = ui.file(FILE).locator(".outside-threads .thread[data-thread^='7f3a']");
  await thread.locator(".tag.state.gone").waitFor();
  assert.match(await thread.locator(".texts .old-text").textContent(), /self\.entries\.len\(\) >= self\.limit/);
});

scene("threads move with a renamed file", async ({ ui, window, workspace }) => {
  // The page may request the file before it knows the new name.
  window.faults.expect(/status of 404/);
  workspace.rename(FILE, "src/store.rs");
  await workspace.git("add", "--all");
  const thread = ui.file("src/store.rs").locator(".thread[data-thread^='7f3a']");
  await thread.waitFor();
  await thread.getByText(`The thread was started on ${FILE}`).waitFor();
  await ui.file("src/store.rs").locator(".tag.renamed").waitFor();
  assert.equal(await ui.file(FILE).count(), 0);
});

scene("a comment on lines that changed while it was written shows both texts, and can be sent", async ({ ui, page, window, workspace }) => {
  window.faults.expect(/status of 409/);
  await ui.number(FILE, 25).click();
  await page.keyboard.type("A good sentence.");
  workspace.edit(FILE, (text) => text.replace("/// Removes the oldest entry, if there is one.", "/// Removes one."));
  await ui.composer.getByText("These lines were changed while you were writing.").waitFor();
  assert.equal((await ui.writing()).value, "A good sentence.");
  await ui.button("Comment").click();
  const both = ui.composer.locator(".compare-columns");
  await both.getByText("/// Removes the oldest entry, if there is one.").waitFor();
  await both.getByText("/// Removes one.").waitFor();
  assert.doesNotMatch(await workspace.skein("review", "list"), /A good sentence/);
  await ui.button("Comment on the current lines").click();
  await ui.thread("A good sentence.").waitFor();
  await ui.composer.waitFor({ state: "detached" });
  assert.match(await workspace.skein("review", "list"), /src\/cache\.rs:25 .*A good sentence/);
});

scene("a half-written comment on deleted lines stays visible", async ({ ui, page, workspace }) => {
  await ui.number(FILE, 25).click();
  await page.keyboard.type("Where did it go?");
  workspace.remove(FILE);
  await ui.composer.getByText("Your text is kept.").waitFor();
  assert.equal(await ui.area.inputValue(), "Where did it go?");
});

scene("a half-written comment survives a commit by the agent", async ({ ui, page, workspace }) => {
  await ui.number(FILE, 25).click();
  await page.keyboard.type("Before the commit.");
  await workspace.commit("done");
  await ui.file(FILE).waitFor({ state: "detached" });
  assert.equal(await ui.area.inputValue(), "Before the commit.");
  workspace.edit(FILE, (text) => text.replace("use std::time::Instant;", "use std::time::Instant as When;"));
  await ui.file(FILE).waitFor();
  await until(async () => (await ui.area.count()) === 1, "there is one field");
  assert.equal(await ui.area.inputValue(), "Before the commit.");
});
