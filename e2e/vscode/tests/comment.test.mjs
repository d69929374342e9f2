// New threads: on a line, on several lines, on a file, as a draft.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { REVIEWER, SKEIN } from "../../lib/workspace.mjs";
import { until } from "../lib/until.mjs";
import { contents, source } from "../lib/files.mjs";
import { group } from "../lib/scene.mjs";

const NAMES = ["line", "range", "whole", "twice", "shifted", "discarded", "draft", "unsaved"];
const files = Object.fromEntries(NAMES.map((name) => [`src/${name}.rs`, source(name)]));
const bodies = ({ comments }) => comments.map(({ body }) => body);

async function only(workspace, path) {
  const { threads } = await workspace.threads("--full", `--file=${path}`);
  assert.equal(threads.length, 1, `threads on ${path}`);
  return threads[0];
}

group("a new thread", { files }, (test) => {
  test("the + of a line stores a comment of the person, in a window that an agent's terminal started", async ({ code, workspace }) => {
    await code.open("src/line.rs");
    await code.plus(5);
    await code.write("Why **five**?", "Comment");
    await code.thread("Why five?").locator(".review-comment").waitFor();
    assert.equal(await code.lineOf(code.thread("Why five?")), 5);
    const thread = await only(workspace, "src/line.rs");
    assert.equal(thread.at, "src/line.rs:5");
    assert.deepEqual(bodies(thread), ["Why **five**?"]);
    assert.equal(thread.comments[0].author, REVIEWER);
    assert.equal(thread.comments[0].agent, false);
  });

  test("several lines are selected by dragging from the +", async ({ code, workspace }) => {
    await code.open("src/range.rs");
    await code.plus(7, 10);
    await code.write("These four belong together.", "Comment");
    await code.comment("These four belong together.").waitFor();
    assert.equal((await only(workspace, "src/range.rs")).at, "src/range.rs:7-10");
  });

  test("a comment on the whole file is above its first line", async ({ code, workspace }) => {
    await code.open("src/whole.rs");
    await code.command("Skein: Comment on File");
    await code.focused();
    await code.write("There is no test for this.", "Comment");
    await code.comment("There is no test for this.").waitFor();
    assert.equal(await code.lineOf(code.thread("There is no test")), 0);
    assert.equal((await only(workspace, "src/whole.rs")).at, "src/whole.rs");
  });

  test("a line that has a thread gets a second one", async ({ code, workspace }) => {
    await workspace.skein("review", "add", "src/twice.rs:4", "-m", "The first one.");
    await code.open("src/twice.rs", 4);
    await until(async () => (await code.marks()).includes(4), "the first thread is marked");
    await code.command("Skein: Comment on Selection");
    await code.focused();
    await code.write("The second one.", "Comment");
    await code.comment("The second one.").waitFor();
    const { threads } = await workspace.threads("--file=src/twice.rs");
    assert.deepEqual(threads.map(({ at }) => at), ["src/twice.rs:4", "src/twice.rs:4"]);
  });

  test("lines that are inserted above an open box move the comment with its code", async ({ code, workspace }) => {
    await code.open("src/shifted.rs");
    await code.plus(12);
    await code.type("On line twelve.");
    workspace.edit("src/shifted.rs", (text) => `// one\n// two\n// three\n${text}`);
    await until(async () => (await code.lineOf(code.thread())) === 15, "the box has moved");
    await code.button("Comment", code.thread()).click();
    await code.comment("On line twelve.").waitFor();
    const thread = await only(workspace, "src/shifted.rs");
    assert.equal(thread.selection?.trimEnd(), 'let shifted_12 = compute("shifted", 12);');
    assert.equal(thread.at, "src/shifted.rs:15");
  });

  test("nothing is written before a comment is stored, nor if it is discarded", async ({ code, workspace }) => {
    const before = contents(workspace.dir);
    await code.open("src/discarded.rs");
    await code.plus(3);
    await code.type("Never mind");
    await code.button("(Cancel|Discard)", code.thread()).click();
    await code.thread().waitFor({ state: "detached" });
    assert.deepEqual(contents(workspace.dir), before);
  });

  test("a draft is stored apart, and its submit wakes the agent that waits", async ({ t, code, workspace }) => {
    const agent = spawn(SKEIN, ["review", "wait", "--json"], { cwd: workspace.dir, env: { ...workspace.env, SKEIN_AUTHOR: "Claude Code" } });
    t.after(() => agent.kill());
    let answer = "";
    agent.stdout.on("data", (bytes) => (answer += bytes));
    await code.open("src/draft.rs");
    await code.plus(9);
    await code.write("Please rename this.", "Add to Review");
    const thread = code.thread("Please rename this.");
    await thread.locator(".review-comment").waitFor();
    assert.match(await code.label(thread), /draft/i);
    assert.equal((await only(workspace, "src/draft.rs")).status, "draft");
    assert.equal(answer, "");
    await code.command("Skein: Submit Review");
    await until(() => answer, "the agent is woken");
    assert.equal(JSON.parse(answer).reason, "submit");
    await until(async () => !/draft/i.test(await code.label(thread)), "it is no draft any more");
    const { at, status } = await only(workspace, "src/draft.rs");
    assert.deepEqual([at, status], ["src/draft.rs:9", "open"]);
  });

  test("a file with changes that are not saved is saved first, or nothing is stored", async ({ code, workspace }) => {
    await code.open("src/unsaved.rs");
    await code.press("Control+Home");
    await code.type("// unsaved\n");
    await code.plus(6);
    await code.write("About line six.", "Comment");
    await code.button("Save and Comment", code.notification("not saved")).click();
    await code.comment("About line six.").waitFor();
    assert.equal((await only(workspace, "src/unsaved.rs")).at, "src/unsaved.rs:6");
    assert.match(workspace.read("src/unsaved.rs"), /^\/\/ unsaved\n/);
  });
});
