// Users of the original extension: its commands with their arguments, and both extensions at once.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../lib/until.mjs";
import { contents, source } from "../lib/files.mjs";
import { consumer, originalStub, originalThread } from "../lib/original.mjs";
import { group } from "../lib/scene.mjs";
import { EXTENSION } from "../lib/setup.mjs";

const dir = mkdtempSync(join(tmpdir(), "skein-original-"));
const stub = originalStub(join(dir, "original"));
const results = join(dir, "results.json");
const user = consumer(join(dir, "consumer"), results);
process.on("exit", () => rmSync(dir, { recursive: true, force: true }));

const NAMES = ["resolve", "reopen", "delete", "reveal", "apply", "add", "submit"];
const files = Object.fromEntries(NAMES.map((name) => [`src/${name}.rs`, source(name)]));
const id = (name) => `t-${name}`;
const line = (name, number) => `let ${name}_${number} = compute("${name}", ${number});`;
const SUGGESTION = "Better so.\n\n```suggestion\nlet apply_5 = 5;\n```";

async function write(workspace) {
  for (const name of NAMES) {
    const body = name === "apply" ? SUGGESTION : `About ${name}.`;
    const [before, after] = [[line(name, 3), line(name, 4)], [line(name, 6), line(name, 7)]];
    const thread = { id: id(name), path: `src/${name}.rs`, line: 4, selection: line(name, 5), before, after, body };
    workspace.write(workspace.threadFile(id(name)), originalThread(thread));
  }
  await workspace.skein("review", "resolve", id("reopen"));
}

const bound = (key, command, args) => ({ key: `ctrl+alt+${key}`, command: `localCodeReview.${command}`, args });
const keys = [
  bound("1", "resolveThread", id("resolve")),
  bound("2", "reopenThread", { threadId: id("reopen") }),
  bound("3", "deleteThread", id("delete")),
  bound("4", "revealThread", { threadId: id("reveal") }),
  bound("5", "applySuggestion", id("apply")),
  bound("6", "addComment"),
  bound("7", "refresh"),
  bound("8", "clearAllComments"),
  { key: "ctrl+alt+9", command: "test.comment", args: "src/submit.rs" },
];
const status = (workspace, name) => workspace.read(workspace.threadFile(id(name))).match(/"status": "(\w+)"/)[1];

group("the interface of the original extension", { files, keys, prepare: write, server: { extensions: [EXTENSION, user] } }, (test) => {
  test("other extensions get threads and changed files in the same shapes", async ({ code, workspace }) => {
    await code.open("src/add.rs");
    await code.unfold(5);
    await until(() => existsSync(results), "the results are stored");
    const { threads, thread, missing, changed } = JSON.parse(readFileSync(results, "utf8"));
    assert.deepEqual(threads.map(({ id }) => id).sort(), NAMES.map(id).sort());
    assert.deepEqual(thread, threads[0]);
    assert.equal(missing, null);
    assert.ok(Array.isArray(changed));
    const applied = threads.find((each) => each.id === id("apply"));
    assert.equal(applied.status, "open");
    assert.equal(applied.target.workspaceRelativePath, "src/apply.rs");
    assert.equal(applied.target.range.startLine, 4);
    assert.equal(applied.comments[0].bodyMarkdown, SUGGESTION);
    assert.equal(workspace.read("src/apply.rs"), files["src/apply.rs"]);
  });

  test("resolve and reopen by id", async ({ code, workspace }) => {
    await code.open("src/resolve.rs");
    await code.unfold(5);
    await code.press("Control+Alt+1");
    await until(() => status(workspace, "resolve") === "resolved", "it is resolved");
    await code.press("Control+Alt+2");
    await until(() => status(workspace, "reopen") === "open", "it is open");
  });

  test("reveal opens the file with the thread", async ({ code }) => {
    await code.open("src/add.rs");
    await code.press("Control+Alt+4");
    await code.comment("About reveal.").waitFor();
  });

  test("apply shows a preview, and writes after a confirmation", async ({ code, workspace }) => {
    await code.open("src/apply.rs");
    await code.press("Control+Alt+5");
    await code.notification("Apply the suggestion").waitFor();
    await code.answer("Apply the suggestion", "Apply");
    await until(() => workspace.read("src/apply.rs").includes("let apply_5 = 5;"), "the file is changed");
  });

  test("delete by id can be undone", async ({ code, workspace }) => {
    const before = contents(workspace.path(".code-review/threads"));
    await code.open("src/delete.rs");
    await code.press("Control+Alt+3");
    await code.button("Undo", code.notification("Deleted")).click();
    await until(() => contents(workspace.path(".code-review/threads"))[`${id("delete")}.md`] === before[`${id("delete")}.md`], "it is back");
  });

  test("add opens a box on the selected line", async ({ code, workspace }) => {
    await code.open("src/add.rs", 9);
    await code.press("Control+Alt+6");
    await code.focused();
    await code.write("With the old key.", "Comment");
    await until(async () => (await workspace.threads("--file=src/add.rs")).threads.some(({ at }) => at === "src/add.rs:9"), "it is stored");
  });

  test("another extension submits a comment and cancels one", async ({ code, workspace }) => {
    await code.open("src/submit.rs");
    await code.unfold(5);
    await code.press("Control+Alt+9");
    const written = async () => (await workspace.threads("--full", "--file=src/submit.rs")).threads.filter(({ id: each }) => each !== id("submit"));
    const [{ at, comments }] = await until(async () => (await written()).length === 1 && written(), "it is stored");
    assert.deepEqual([at, comments[0].body], ["src/submit.rs:12", "From another extension."]);
    await code.comment("From another extension.").waitFor();
    await code.thread("New comment").first().waitFor({ state: "detached" });
    assert.equal((await written()).length, 1);
  });

  test("the setting onlyCommentOnChanges is followed when it changes", async ({ code, workspace }) => {
    await code.open("src/add.rs");
    const places = code.editor.locator(".comment-range-glyph:not(.comment-thread):not(.comment-thread-unresolved)");
    await until(async () => (await places.count()) > 10, "all lines can be commented on");
    const original = (value) => workspace.write(".vscode/settings.json", JSON.stringify({ "localCodeReview.onlyCommentOnChanges": value }));
    const own = (value) => workspace.write(".skein.toml", `[review]\nchanged_only = ${value}\n`);
    for (const settings of [original, own]) {
      settings(true);
      await until(async () => (await places.count()) === 0, "no line can be, because none has changed");
      settings(false);
      await until(async () => (await places.count()) > 10, "all lines can be again");
    }
  });

  test("clear asks first", async ({ code, workspace }) => {
    const before = contents(workspace.path(".code-review/threads"));
    await code.open("src/add.rs");
    await code.press("Control+Alt+8");
    await code.dialog().waitFor();
    await code.press("Escape");
    await code.dialog().waitFor({ state: "detached" });
    assert.deepEqual(contents(workspace.path(".code-review/threads")), before);
    await code.press("Control+Alt+7");
  });

  test("undoing clear restores what it deleted, and nothing that others deleted since", async ({ code, workspace }) => {
    const before = (await workspace.threads()).threads.map(({ id }) => id).sort();
    await code.open("src/add.rs");
    await code.press("Control+Alt+8");
    await code.button("Delete All", code.dialog()).click();
    const undo = code.button("Undo", code.notification("Deleted all threads"));
    await undo.waitFor();
    assert.equal((await workspace.threads()).threads.length, 0);
    const added = JSON.parse(await workspace.skein("review", "add", "src/add.rs:20", "-m", "Added later.", "--json"));
    await workspace.skein("review", "delete", added.threads[0].id);
    await undo.click();
    await until(async () => (await workspace.threads()).threads.length === before.length, "they are back");
    assert.deepEqual((await workspace.threads()).threads.map(({ id }) => id).sort(), before);
  });
});

group("with the original extension active", { files, prepare: write, server: { extensions: [EXTENSION, stub] } }, (test) => {
  test("one message says so, and nothing is shown twice", async ({ code, workspace }) => {
    const before = contents(workspace.dir);
    await code.notification(/original|local-code-review|Local Code Review/i).waitFor();
    assert.equal(await code.notifications.count(), 1);
    await code.open("src/resolve.rs");
    assert.deepEqual(await code.marks(), []);
    assert.deepEqual(contents(workspace.dir), before);
  });
});

const STORE = ".reviews";
const inStore = async (workspace) => {
  workspace.env.SKEIN_REVIEW_STORAGE_PATH = STORE;
  await workspace.agent("review", "add", "src/add.rs:5", "-m", "In the other store.");
  delete workspace.env.SKEIN_REVIEW_STORAGE_PATH;
};

group("a store path in the user's settings", { files, prepare: inStore, settings: { "localCodeReview.storagePath": STORE } }, (test) => {
  test("is used in a repository with threads there, after a question", async ({ code, workspace }) => {
    const message = code.notification("localCodeReview.storagePath");
    await message.waitFor();
    assert.equal((await workspace.threads()).threads.length, 0);
    await code.button(`Use "${STORE}" in This Repository`, message).click();
    await code.open("src/add.rs");
    await code.unfold(5);
    await code.comment("In the other store.").waitFor();
    assert.equal((await workspace.threads()).threads.length, 1);
    assert.match(workspace.read(".skein.toml"), /storage_path = "\.reviews"/);
    await code.clearNotifications();
  });
});
