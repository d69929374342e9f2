// Everything on a thread can be done with the keyboard alone.
import assert from "node:assert/strict";
import { until } from "../lib/until.mjs";
import { source } from "../lib/files.mjs";
import { group } from "../lib/scene.mjs";

const files = { "src/keys.rs": source("keys") };
const stored = async (workspace) => (await workspace.threads("--full")).threads[0];

group("the keyboard", { files }, (test) => {
  test("a comment is written, answered, resolved, reopened and deleted", async ({ code, workspace }) => {
    await code.open("src/keys.rs", 6);
    await code.commandByKey("Skein: Comment on Selection");
    await code.focused();
    await code.type("Why 6?");
    await code.submit();
    await until(async () => (await stored(workspace))?.at === "src/keys.rs:6", "it is stored");

    await code.open("src/keys.rs", 6);
    await code.tabIntoField(() => code.commandByKey("Skein: Show Thread"));
    await code.type("Because of 5.");
    await code.submit();
    await until(async () => (await stored(workspace)).comments.length === 2, "the reply is stored");

    await code.open("src/keys.rs", 6);
    for (const [command, status] of [["Resolve Thread", "resolved"], ["Reopen Thread", "open"]]) {
      await code.commandByKey(`Skein: ${command}`);
      await until(async () => (await stored(workspace)).status === status, `it is ${status}`);
    }
    await code.commandByKey("Skein: Delete Thread");
    await until(async () => (await stored(workspace)) === undefined, "it is deleted");
    await code.clearNotifications();
  });

  test("a thread on several lines gets the focus from any of them", async ({ code, workspace }) => {
    await workspace.agent("review", "add", "src/keys.rs:10-13", "-m", "All of these?");
    await code.open("src/keys.rs", 11);
    await until(async () => (await code.marks()).includes(13), "the thread is marked");
    await code.commandByKey("Skein: Show Thread");
    await code.page.locator(".comments-container:focus", { hasText: "All of these?" }).waitFor();
    await code.open("src/keys.rs", 12);
    await code.commandByKey("Skein: Accept and Resolve");
    await code.notification("no such thread at the cursor").waitFor();
    await code.clearNotifications();
  });

  test("without a thread at the cursor a message says so", async ({ code }) => {
    await code.open("src/keys.rs", 20);
    await code.commandByKey("Skein: Resolve Thread");
    await code.notification("no such thread at the cursor").waitFor();
    await code.clearNotifications();
  });

  test("what a screen reader says of a thread has its state and its comment", async ({ code, workspace }) => {
    await workspace.agent("review", "add", "src/keys.rs:3", "-m", "Is this tested?");
    await code.open("src/keys.rs", 3);
    await code.unfold(3);
    const comment = code.comment("Is this tested?");
    assert.match(await comment.getAttribute("aria-label"), /Claude Code.*Is this tested\?/);
    assert.match(await code.label(code.thread("Is this tested?")), /Waits on you/);
    for (const button of await code.thread("Is this tested?").locator(".review-title [role=button]").all()) {
      assert.ok(await button.getAttribute("aria-label"), "a button has a name");
    }
  });
});
