// Where a review begins: nothing is there yet, or nothing that could be compared.
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

async function unborn() {
  const workspace = await folder();
  await workspace.git("init", "--quiet", "--initial-branch=main");
  return workspace;
}

scene("the first comment creates the store, and says so", { make: () => Workspace.plain({ "a.txt": "one\n" }) }, async ({ desk, page, workspace }) => {
  await page.getByText("No changes.").waitFor();
  workspace.write("a.txt", "one\ntwo\n");
  await desk.number("a.txt", 2).click();
  const before = desk.composer.locator(".new-store");
  assert.equal(await before.textContent(), "No threads yet. This creates the folder .code-review/ for the threads, and keeps it out of git.");
  await page.keyboard.type("The first.");
  await desk.button("Comment").click();
  await desk.thread("The first.").waitFor();
  await desk.number("a.txt", 1).click();
  assert.equal(await desk.composer.getByText("This creates").count(), 0, "it is there by now");
  await desk.button("Cancel").click();
  await desk.toast.getByText("Created the store").waitFor();
  assert.match(await workspace.skein("review", "list"), /a\.txt:2 .*The first/);
  // What others write into it from here on is seen too.
  await workspace.agent("review", "reply", "a.txt:2", "-m", "The second.");
  await desk.comment("The second.").waitFor();
});

scene("a folder without git says so, and its files can be discussed", { make: folder }, async ({ desk, page, server, workspace }) => {
  assert.ok((await page.locator(".empty").textContent()).length > 20);
  await page.goto(`${server.origin}/file/notes.txt`);
  await desk.number("notes.txt", 2).click();
  await page.keyboard.type("Without git.");
  await desk.button("Comment").click();
  await desk.thread("Without git.").waitFor();
  assert.match(await workspace.skein("review", "list"), /notes\.txt:2 .*Without git/);
});

scene("a repository without a commit shows what would be the first", { make: unborn }, async ({ desk, page }) => {
  await page.locator(".empty, section.file").first().waitFor();
  if (await desk.file("notes.txt").count()) await desk.file("notes.txt").getByText("two").waitFor();
  else assert.ok((await page.locator(".empty").textContent()).length > 20);
});

scene("light and dark are switched, and kept", async ({ page }) => {
  const dark = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await dark();
  await page.getByRole("button", { name: "Switch between light and dark" }).click();
  const after = await dark();
  assert.notEqual(after, before);
  await page.reload();
  assert.equal(await dark(), after);
});
