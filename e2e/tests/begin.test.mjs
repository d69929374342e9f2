// The start of a review: without a store, without git, or without a commit.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { scene } from "../lib/scene.mjs";
import { Workspace } from "../lib/workspace.mjs";

async function folder() {
  const workspace = new Workspace();
  mkdirSync(workspace.dir);
  workspace.write("notes.txt", "one\ntwo\n");
  return workspace;
}

async function withoutCommit() {
  const workspace = await folder();
  await workspace.git("init", "--quiet", "--initial-branch=main");
  return workspace;
}

scene("the first comment creates the store, and a message says so", { make: () => Workspace.plain({ "a.txt": "one\n" }) }, async ({ ui, page, workspace }) => {
  await page.getByText("No changes.").waitFor();
  workspace.write("a.txt", "one\ntwo\n");
  await ui.number("a.txt", 2).click();
  const before = ui.composer.locator(".new-store");
  assert.equal(await before.textContent(), "No threads yet. This creates the folder .code-review/ for the threads, and keeps it out of git.");
  await page.keyboard.type("The first.");
  await ui.button("Comment").click();
  await ui.thread("The first.").waitFor();
  await ui.number("a.txt", 1).click();
  assert.equal(await ui.composer.getByText("This creates").count(), 0, "the store exists");
  await ui.button("Cancel").click();
  await ui.toast.getByText("Created the store").waitFor();
  assert.match(await workspace.skein("review", "list"), /a\.txt:2 .*The first/);
  // Later writes of others are shown too.
  await workspace.agent("review", "reply", "a.txt:2", "-m", "The second.");
  await ui.comment("The second.").waitFor();
});

scene("a folder without git is reported, and its files can be commented on", { make: folder }, async ({ ui, page, server, workspace }) => {
  assert.ok((await page.locator(".empty").textContent()).length > 20);
  await page.goto(`${server.origin}/file/notes.txt`);
  await ui.number("notes.txt", 2).click();
  await page.keyboard.type("Without git.");
  await ui.button("Comment").click();
  await ui.thread("Without git.").waitFor();
  assert.match(await workspace.skein("review", "list"), /notes\.txt:2 .*Without git/);
});

scene("a repository without a commit shows its files or a message", { make: withoutCommit }, async ({ ui, page }) => {
  await page.locator(".empty, section.file").first().waitFor();
  if (await ui.file("notes.txt").count()) await ui.file("notes.txt").getByText("two").waitFor();
  else assert.ok((await page.locator(".empty").textContent()).length > 20);
});

scene("the theme is switched, and kept after a reload", async ({ page }) => {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await background();
  await page.getByRole("button", { name: "Switch between light and dark" }).click();
  const after = await background();
  assert.notEqual(after, before);
  await page.reload();
  assert.equal(await background(), after);
});
