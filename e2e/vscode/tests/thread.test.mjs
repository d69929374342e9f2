// Threads that exist: reply, edit, resolve, reopen, delete, and what their comments show.
import assert from "node:assert/strict";
import { REVIEWER } from "../../lib/workspace.mjs";
import { until } from "../lib/until.mjs";
import { source } from "../lib/files.mjs";
import { group } from "../lib/scene.mjs";

const NAMES = ["reply", "edit", "stale", "resolve", "finish", "delete", "proposed", "prompt", "image", "claim"];
const files = Object.fromEntries(NAMES.map((name) => [`src/${name}.rs`, source(name)]));

// Writes a thread as an agent, opens its file and unfolds it.
async function shown(code, workspace, name, text, line = 3) {
  await workspace.agent("review", "add", `src/${name}.rs:${line}`, "-m", text);
  await code.open(`src/${name}.rs`);
  await code.unfold(line);
  return code.thread();
}

const stored = async (workspace, name) => (await workspace.threads("--full", `--file=src/${name}.rs`)).threads[0];

group("a thread", { files }, (test) => {
  test("a reply is stored as the person's", async ({ code, workspace }) => {
    const thread = await shown(code, workspace, "reply", "Why is this public?");
    assert.match(await code.label(thread), /waits on you/i);
    await code.reply(thread);
    await code.type("Tests need it.\n\nSee `tests/it`.");
    await code.button("Reply", thread).click();
    await code.comment("Tests need it.").waitFor();
    const { comments, waiting_on } = await stored(workspace, "reply");
    assert.equal(comments[1].body, "Tests need it.\n\nSee `tests/it`.");
    assert.equal(comments[1].author, REVIEWER);
    assert.equal(waiting_on, "agent");
    await until(async () => /waits on an agent/i.test(await code.label(thread)), "the label follows");
    assert.equal((await code.writing(thread)).text, "", "the field is empty again");
  });

  test("a reply can resolve the thread", async ({ code, workspace }) => {
    const thread = await shown(code, workspace, "finish", "Is this still needed?");
    await code.reply(thread);
    await code.type("No, removed.");
    await code.button("Reply and Resolve", thread).click();
    await until(async () => (await stored(workspace, "finish")).status === "resolved", "it is resolved");
    assert.equal((await stored(workspace, "finish")).comments.length, 2);
  });

  test("an own comment is edited", async ({ code, workspace }) => {
    await workspace.skein("review", "add", "src/edit.rs:3", "-m", "A first text.");
    await code.open("src/edit.rs");
    await code.unfold(3);
    await code.act("Edit Comment", code.comment("A first text."));
    await code.focused();
    await code.press("Control+a");
    await code.type("A typo.");
    await code.button("Save").click();
    await code.comment("A typo.").waitFor();
    assert.deepEqual((await stored(workspace, "edit")).comments.map(({ body }) => body), ["A typo."]);
  });

  test("an edit of a comment that has changed in between is refused, and the text stays", async ({ code, workspace }) => {
    await workspace.skein("review", "add", "src/stale.rs:3", "-m", "First version.");
    await code.open("src/stale.rs");
    await code.unfold(3);
    await code.act("Edit Comment", code.comment("First version."));
    await code.focused();
    await code.press("Control+a");
    await code.type("My version.");
    const { id, comments } = await stored(workspace, "stale");
    await workspace.skein("review", "edit", id, comments[0].id, "-m", "Version of the command line.");
    await code.button("Save").click();
    const error = code.notifications.filter({ has: code.page.locator(".codicon-error") });
    await error.waitFor();
    await until(async () => (await code.editing(code.thread())) === "My version.", "the text is in the box again");
    assert.equal(await code.copied(() => code.button("Copy Text", error).click()), "My version.");
    assert.equal((await stored(workspace, "stale")).comments[0].body, "Version of the command line.");
  });

  test("a thread is resolved and reopened", async ({ code, workspace }) => {
    const thread = await shown(code, workspace, "resolve", "Unused?");
    await code.button("Resolve Thread", thread).click();
    await until(async () => (await stored(workspace, "resolve")).status === "resolved", "it is resolved");
    await until(async () => /^resolved/i.test(await code.label(thread)), "the label follows");
    await code.button("Reopen Thread", thread).click();
    await until(async () => (await stored(workspace, "resolve")).status === "open", "it is open");
    await until(async () => /waits on/i.test(await code.label(thread)), "the label follows");
  });

  test("a deleted thread comes back with Undo", async ({ code, workspace }) => {
    const thread = await shown(code, workspace, "delete", "Delete me.");
    const { id } = await stored(workspace, "delete");
    const file = workspace.read(workspace.threadFile(id));
    await code.button("Delete Thread", thread).click();
    await thread.waitFor({ state: "detached" });
    assert.equal((await workspace.threads("--file=src/delete.rs")).threads.length, 0);
    await code.button("Undo", code.notification("Deleted")).click();
    await until(async () => (await code.marks()).includes(3), "it is shown again");
    assert.equal(workspace.read(workspace.threadFile(id)), file);
  });

  test("a proposal of an agent to resolve is accepted with one click", async ({ code, workspace }) => {
    await workspace.skein("review", "add", "src/proposed.rs:3", "-m", "Please fix.");
    const { id } = await stored(workspace, "proposed");
    await workspace.agent("review", "resolve", id, "-m", "Done.");
    await code.open("src/proposed.rs");
    await code.unfold(3);
    assert.match(await code.label(code.thread()), /Claude Code proposes to resolve/);
    await code.button("Accept.*", code.thread()).click();
    await until(async () => (await stored(workspace, "proposed")).status === "resolved", "it is resolved");
  });

  test("the prompt for an agent is copied", async ({ code, workspace }) => {
    const thread = await shown(code, workspace, "prompt", "Extract this.");
    const text = await code.copied(() => code.button("Copy Prompt.*", thread).click());
    assert.match(text, /src\/prompt\.rs/);
    assert.match(text, /Extract this\./);
  });

  test("the claim of an agent is shown while the file is open, and its release", async ({ code, workspace }) => {
    await workspace.skein("review", "add", "src/claim.rs:3", "-m", "Please fix.");
    await code.open("src/claim.rs");
    await code.unfold(3);
    const isClaimed = async () => /claimed by Claude Code/.test(await code.label(code.thread()));
    await workspace.agent("review", "next", "--claim", "--claimant=one", "--file=src/claim.rs");
    await until(isClaimed, "the claim is shown");
    const { id } = await stored(workspace, "claim");
    await workspace.agent("review", "next", "--release", id, "--claimant=one");
    await until(async () => !(await isClaimed()), "the release is shown");
  });

  test("images, HTML and command links in a comment are harmless", async ({ code, workspace }) => {
    const text = "![a picture](https://example.com/x.png) <img src=https://example.com/y.png> [run](command:workbench.action.closeWindow) $(alert) end";
    const thread = await shown(code, workspace, "image", text);
    await thread.getByText("end").waitFor();
    assert.equal(await thread.locator(".comment-body img").count(), 0);
    assert.match(await thread.locator(".comment-body").textContent(), /a picture/);
  });
});
