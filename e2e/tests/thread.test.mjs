// Actions on a thread: reply, resolve, delete, edit, and copy as a prompt for an agent.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const ID = "7f3a";
const OWN = "This lets one entry too many in";

async function status(workspace, id) {
  const [, status] = (await workspace.skein("review", "show", id)).match(/^\S+ {2}(\w+)/);
  return status;
}

scene("a reply is written, and resolves the thread on request", async ({ ui, page, workspace }) => {
  const thread = ui.thread(ID);
  await ui.button("Reply…", thread).click();
  await page.keyboard.type("Thank you.");
  await ui.button("Reply", thread).click();
  await thread.locator(".comment", { hasText: "Thank you." }).waitFor();
  assert.equal(await status(workspace, ID), "open");
  await ui.button("Reply…", thread).click();
  await page.keyboard.type("That is all.");
  await ui.button("Reply and resolve", thread).click();
  await until(async () => (await thread.getAttribute("data-status")) === "resolved", "the thread is resolved");
  assert.equal(await status(workspace, ID), "resolved");
  assert.match(await workspace.skein("review", "show", ID), /Thank you\.[^]*That is all\./);
});

scene("a thread is resolved, undone, resolved and reopened", async ({ ui, workspace }) => {
  const thread = ui.thread(ID);
  const waitForStatus = (wanted) => until(async () => (await thread.getAttribute("data-status")) === wanted, wanted);
  await ui.button("Resolve", thread).click();
  await waitForStatus("resolved");
  assert.equal(await status(workspace, ID), "resolved");
  await ui.button("Undo").click();
  await waitForStatus("open");
  assert.equal(await status(workspace, ID), "open");
  await ui.button("Resolve", thread).click();
  await waitForStatus("resolved");
  // A resolved thread folds; its heading opens it again.
  await thread.locator("summary .tag.resolved").click();
  await ui.button("Reopen", thread).click();
  await waitForStatus("open");
  assert.equal(await status(workspace, ID), "open");
});

scene("a thread is deleted, and Undo restores it unchanged", async ({ ui, workspace }) => {
  const thread = ui.thread(ID);
  const id = await ui.idOf(thread);
  const file = workspace.read(workspace.threadFile(id));
  await ui.button("Delete the thread", thread).click();
  await thread.waitFor({ state: "detached" });
  assert.doesNotMatch(await workspace.skein("review", "list"), /7f3a/);
  await ui.button("Undo").click();
  await thread.waitFor();
  assert.equal(workspace.read(workspace.threadFile(id)), file);
});

scene("a user can edit only their own comment", async ({ ui, page, workspace }) => {
  const thread = ui.thread(ID);
  assert.equal(await thread.locator(".comment").count(), 2);
  assert.equal(await thread.locator(".comment.agent [data-act=edit]").count(), 0);
  await thread.locator(".comment").first().hover();
  await ui.button("Edit your comment", thread).click();
  assert.match(await ui.area.inputValue(), new RegExp(`^${OWN}`));
  await page.keyboard.press("Control+A");
  await page.keyboard.type("One too many.");
  await ui.button("Save", thread).click();
  await thread.locator(".md", { hasText: "One too many." }).waitFor();
  await ui.composer.waitFor({ state: "detached" });
  assert.match(await workspace.skein("review", "show", ID), /\n {2}One too many\.\n/);
});

async function conflict({ ui, page, window }, changeElsewhere) {
  window.faults.expect(/status of 409/);
  const thread = ui.thread(ID);
  await thread.locator(".comment").first().hover();
  await ui.button("Edit your comment", thread).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("My text.");
  await changeElsewhere();
  await thread.locator(".comment .md", { hasText: "Their text." }).waitFor();
  await ui.button("Save", thread).click();
  await ui.composer.locator(".compare-columns", { hasText: "My text." }).waitFor();
  await ui.composer.locator(".compare-columns", { hasText: "Their text." }).waitFor();
  return thread;
}

scene("an edit of a comment that the command line has changed shows both texts; the user's text is taken", async (all) => {
  const { ui, workspace } = all;
  const thread = await conflict(all, () => workspace.skein("review", "edit", ID, "-m", "Their text."));
  await ui.button("Replace it with mine", thread).click();
  await thread.locator(".comment .md", { hasText: "My text." }).waitFor();
  assert.match(await workspace.skein("review", "show", ID), /\n {2}My text\.\n/);
});

scene("an edit of a comment that was changed by hand shows both texts; the other text is kept", async (all) => {
  const { ui, workspace } = all;
  const id = await ui.idOf(ui.thread(ID));
  const thread = await conflict(all, () =>
    workspace.edit(workspace.threadFile(id), (text) => text.replace(/^This lets one entry.*$/m, "Their text.")));
  await ui.button("Keep theirs", thread).click();
  await ui.composer.waitFor({ state: "detached" });
  assert.match(await workspace.skein("review", "show", ID), /\n {2}Their text\.\n/);
});

scene("the prompt of a thread, and that of all, is copied as Markdown", async ({ ui, page, window }) => {
  await ui.button("Copy prompt", ui.thread(ID)).click();
  await ui.toast.getByText("Copied a prompt for this thread.").waitFor();
  const one = await ui.clipboard();
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

scene("the address of a thread still works after a reload", async ({ ui, page, workspace }) => {
  await ui.thread(ID).locator("a.own").click();
  await page.waitForURL(/\/thread\/7f3a/);
  await ui.thread(ID).waitFor();
  assert.match(await page.locator(".excerpt").textContent(), /if self\.entries\.len\(\) >= self\.limit/);
  await page.reload();
  await ui.thread(ID).waitFor();
  await ui.button("Reply…").click();
  await page.keyboard.type("From its own page.");
  await page.keyboard.press("Control+Enter");
  await ui.comment("From its own page.").waitFor();
  assert.match(await workspace.skein("review", "show", ID), /From its own page\./);
  await page.locator(".bar h1 a").click();
  await page.waitForURL(/\/file\/src\/cache\.rs#t-7f3a/);
});

scene("the list filters threads by status, by whom they wait on, and by text", { path: "/threads" }, async ({ page }) => {
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
