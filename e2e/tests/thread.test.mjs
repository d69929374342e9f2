// What is done to a thread: answered, settled, deleted, edited, handed to an agent.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const ID = "7f3a";
const OWN = "This lets one entry too many in";

async function status(workspace, id) {
  const [, status] = (await workspace.skein("review", "show", id)).match(/^\S+ {2}(\w+)/);
  return status;
}

scene("a reply is written, and resolves if one says so", async ({ desk, page, workspace }) => {
  const thread = desk.thread(ID);
  await desk.button("Reply…", thread).click();
  await page.keyboard.type("Thank you.");
  await desk.button("Reply", thread).click();
  await thread.locator(".comment", { hasText: "Thank you." }).waitFor();
  assert.equal(await status(workspace, ID), "open");
  await desk.button("Reply…", thread).click();
  await page.keyboard.type("That is all.");
  await desk.button("Reply and resolve", thread).click();
  await until(async () => (await thread.getAttribute("data-status")) === "resolved", "the thread is resolved");
  assert.equal(await status(workspace, ID), "resolved");
  assert.match(await workspace.skein("review", "show", ID), /Thank you\.[^]*That is all\./);
});

scene("a thread is resolved, undone, resolved and reopened", async ({ desk, workspace }) => {
  const thread = desk.thread(ID);
  const turns = (wanted) => until(async () => (await thread.getAttribute("data-status")) === wanted, wanted);
  await desk.button("Resolve", thread).click();
  await turns("resolved");
  assert.equal(await status(workspace, ID), "resolved");
  await desk.button("Undo").click();
  await turns("open");
  assert.equal(await status(workspace, ID), "open");
  await desk.button("Resolve", thread).click();
  await turns("resolved");
  // A resolved thread folds; its heading opens it again.
  await thread.locator("summary .tag.resolved").click();
  await desk.button("Reopen", thread).click();
  await turns("open");
  assert.equal(await status(workspace, ID), "open");
});

scene("a thread is deleted, and Undo brings it back as it was", async ({ desk, workspace }) => {
  const thread = desk.thread(ID);
  const id = await desk.idOf(thread);
  const file = workspace.read(workspace.threadFile(id));
  await desk.button("Delete the thread", thread).click();
  await thread.waitFor({ state: "detached" });
  assert.doesNotMatch(await workspace.skein("review", "list"), /7f3a/);
  await desk.button("Undo").click();
  await thread.waitFor();
  assert.equal(workspace.read(workspace.threadFile(id)), file);
});

scene("one's own comment is edited, and nobody else's", async ({ desk, page, workspace }) => {
  const thread = desk.thread(ID);
  assert.equal(await thread.locator(".comment").count(), 2);
  assert.equal(await thread.locator(".comment.agent [data-act=edit]").count(), 0);
  await thread.locator(".comment").first().hover();
  await desk.button("Edit your comment", thread).click();
  assert.match(await desk.area.inputValue(), new RegExp(`^${OWN}`));
  await page.keyboard.press("Control+A");
  await page.keyboard.type("One too many.");
  await desk.button("Save", thread).click();
  await thread.locator(".md", { hasText: "One too many." }).waitFor();
  await desk.composer.waitFor({ state: "detached" });
  assert.match(await workspace.skein("review", "show", ID), /\n {2}One too many\.\n/);
});

async function conflict({ desk, page, window }, meanwhile) {
  window.faults.expect(/status of 409/);
  const thread = desk.thread(ID);
  await thread.locator(".comment").first().hover();
  await desk.button("Edit your comment", thread).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("My text.");
  await meanwhile();
  await thread.locator(".comment .md", { hasText: "Their text." }).waitFor();
  await desk.button("Save", thread).click();
  await desk.composer.locator(".compare-columns", { hasText: "My text." }).waitFor();
  await desk.composer.locator(".compare-columns", { hasText: "Their text." }).waitFor();
  return thread;
}

scene("an edit of what the command line changed meanwhile shows both texts; mine is taken", async (all) => {
  const { desk, workspace } = all;
  const thread = await conflict(all, () => workspace.skein("review", "edit", ID, "-m", "Their text."));
  await desk.button("Replace it with mine", thread).click();
  await thread.locator(".comment .md", { hasText: "My text." }).waitFor();
  assert.match(await workspace.skein("review", "show", ID), /\n {2}My text\.\n/);
});

scene("an edit of what was changed by hand meanwhile shows both texts; theirs is kept", async (all) => {
  const { desk, workspace } = all;
  const id = await desk.idOf(desk.thread(ID));
  const thread = await conflict(all, () =>
    workspace.edit(workspace.threadFile(id), (text) => text.replace(/^This lets one entry.*$/m, "Their text.")));
  await desk.button("Keep theirs", thread).click();
  await desk.composer.waitFor({ state: "detached" });
  assert.match(await workspace.skein("review", "show", ID), /\n {2}Their text\.\n/);
});

scene("the prompt of a thread, and that of all, is copied as Markdown", async ({ desk, page, window }) => {
  await desk.button("Copy prompt", desk.thread(ID)).click();
  await desk.toast.getByText("Copied a prompt for this thread.").waitFor();
  const one = await desk.clipboard();
  assert.match(one, /^# /);
  assert.match(one, /`src\/cache\.rs:19-21`/);
  assert.match(one, /> This lets one entry too many in/);
  const list = await window.open("/threads");
  await list.button("Copy prompt").click();
  await list.toast.getByText("Copied a prompt for everything").waitFor();
  const all = await list.clipboard();
  assert.match(all, /5 open threads wait on you/);
  assert.match(all, /Never on all interfaces\./);
  await page.bringToFront();
});

scene("the address of a thread can be kept", async ({ desk, page, workspace }) => {
  await desk.thread(ID).locator("a.own").click();
  await page.waitForURL(/\/thread\/7f3a/);
  await desk.thread(ID).waitFor();
  assert.match(await page.locator(".excerpt").textContent(), /if self\.entries\.len\(\) >= self\.limit/);
  await page.reload();
  await desk.thread(ID).waitFor();
  await desk.button("Reply…").click();
  await page.keyboard.type("From its own page.");
  await page.keyboard.press("Control+Enter");
  await desk.comment("From its own page.").waitFor();
  assert.match(await workspace.skein("review", "show", ID), /From its own page\./);
  await page.locator(".bar h1 a").click();
  await page.waitForURL(/\/file\/src\/cache\.rs#t-7f3a/);
});

scene("the list has the threads by status and by whose turn it is, and filters", { path: "/threads" }, async ({ page }) => {
  const shown = () => page.locator(".line:visible .line-title").allTextContents();
  assert.equal((await shown()).length, 9);
  await page.getByRole("link", { name: /Waiting on you/ }).click();
  await page.waitForURL(/waiting=reviewer/);
  assert.equal((await shown()).length, 4);
  await page.getByRole("link", { name: /^Resolved/ }).click();
  await page.waitForURL(/status=resolved/);
  assert.equal((await shown()).length, 3);
  await page.getByRole("link", { name: /^All/ }).click();
  await page.waitForURL(/status=all/);
  assert.equal((await shown()).length, 12);
  await page.getByLabel("Filter threads").fill("http.rs never");
  assert.deepEqual(await shown(), ["Never on all interfaces."]);
});
