// What others write while the reviewer types: the text and the caret stay.
import assert from "node:assert/strict";
import { until } from "../lib/until.mjs";
import { contents, source } from "../lib/files.mjs";
import { group } from "../lib/scene.mjs";

const NAMES = ["answer", "resolved", "moved", "others", "editing", "deleted", "hidden", "closed", "keys"];
const MAX_ROUNDS = 5;
const files = Object.fromEntries(NAMES.map((name) => [`src/${name}.rs`, source(name)]));

async function add(workspace, name, line, text) {
  const { threads } = JSON.parse(await workspace.skein("review", "add", `src/${name}.rs:${line}`, "-m", text, "--json"));
  return threads[0].id;
}

// Opens a thread, types a half-written reply, and leaves the caret in its middle.
async function halfWritten(code, workspace, name) {
  const id = await add(workspace, name, 8, "Why is this here?");
  await code.open(`src/${name}.rs`);
  await code.unfold(8);
  const thread = code.thread("Why is this here?");
  await code.reply(thread);
  await code.type("half written text");
  const typed = await settled(code, thread, ({ text }) => text === "half written text");
  for (let left = 0; left < " text".length; left += 1) await code.press("ArrowLeft");
  const before = await settled(code, thread, ({ caret }) => caret[0] !== typed.caret[0]);
  assert.deepEqual([before.text, before.focused], ["half written text", true]);
  return { id, thread, before };
}

// VS Code draws what was typed in one of its next frames, and the caret moves over several of them.
async function settled(code, thread, isDone) {
  let last = "";
  return until(async () => {
    const now = await code.writing(thread);
    const before = last;
    last = JSON.stringify(now);
    return isDone(now) && last === before && now;
  }, "the text is as it was typed");
}

// The next key must go to the caret, and nothing into the file.
async function goesOn(code, workspace, name, { thread, before }, file) {
  assert.deepEqual(await code.writing(thread), before);
  await code.type(" and more");
  await settled(code, thread, ({ text }) => text === "half written and more text");
  assert.equal(workspace.read(`src/${name}.rs`), file);
  assert.equal(await code.page.locator(".tab.dirty").count(), 0, "nothing was typed into the file");
}

group("while the reviewer types", { files }, (test) => {
  test("an agent's answer appears, and the text and the caret stay", async ({ t, code, workspace }) => {
    const half = await halfWritten(code, workspace, "answer");
    const start = Date.now();
    await workspace.agent("review", "reply", half.id, "-m", "It is needed.");
    await code.comment("It is needed.", half.thread).waitFor();
    t.diagnostic(`shown ${Date.now() - start} ms after the start of the command`);
    await goesOn(code, workspace, "answer", half, files["src/answer.rs"]);
    await code.button("Reply", half.thread).click();
    await code.comment("half written and more text", half.thread).waitFor();
    assert.match(await workspace.skein("review", "show", half.id), /It is needed\.[^]*half written and more text/);
  });

  test("an agent's proposal to resolve changes the label, and the text and the caret stay", async ({ code, workspace }) => {
    const half = await halfWritten(code, workspace, "resolved");
    await workspace.agent("review", "resolve", half.id, "-m", "Fixed.");
    await code.comment("Fixed.", half.thread).waitFor();
    await until(async () => /proposes to resolve/.test(await code.label(half.thread)), "the label follows");
    await goesOn(code, workspace, "resolved", half, files["src/resolved.rs"]);
  });

  test("code that moves carries the thread along, and the text and the caret stay", async ({ code, workspace }) => {
    const half = await halfWritten(code, workspace, "moved");
    workspace.edit("src/moved.rs", (text) => `// one\n// two\n${text}`);
    await until(async () => (await code.lineOf(half.thread)) === 10, "the thread is at its line");
    await goesOn(code, workspace, "moved", half, `// one\n// two\n${files["src/moved.rs"]}`);
  });

  test("threads that others add, answer and delete in the same file disturb nothing", async ({ code, workspace }) => {
    const half = await halfWritten(code, workspace, "others");
    const other = await add(workspace, "others", 3, "Another thread.");
    await until(async () => (await code.marks()).includes(3), "the other thread is shown");
    await workspace.agent("review", "reply", other, "-m", "An answer.");
    await add(workspace, "others", 20, "A third one.");
    await until(async () => (await code.marks()).includes(20), "the third thread is shown");
    await workspace.skein("review", "delete", other);
    await until(async () => !(await code.marks()).includes(3), "the other thread is gone");
    await goesOn(code, workspace, "others", half, files["src/others.rs"]);
  });

  test("an answer leaves a comment alone that is being edited", async ({ code, workspace }) => {
    const id = await add(workspace, "editing", 8, "First text.");
    await code.open("src/editing.rs");
    await code.unfold(8);
    const thread = code.thread("First text.");
    await code.act("Edit Comment", code.comment("First text."));
    await code.focused();
    await code.press("Control+End");
    await code.type(" More text");
    await workspace.agent("review", "reply", id, "-m", "Understood.");
    await code.comment("Understood.").waitFor();
    await code.type(" follows.");
    await until(async () => /First text\. More text follows\./.test(await code.editing(code.page)), "the text is as it was typed");
    await code.button("Save").click();
    await code.comment("First text. More text follows.").waitFor();
    assert.equal(await thread.locator(".review-comment").count(), 2);
  });

  test("a reply to a thread that others delete stays, and can be copied", async ({ code, workspace }) => {
    const half = await halfWritten(code, workspace, "deleted");
    await workspace.skein("review", "delete", half.id);
    await until(async () => /deleted/i.test(await code.label(half.thread)), "the label says so");
    assert.deepEqual(await code.writing(half.thread), half.before);
    await workspace.skein("review", "restore", half.id);
    await until(async () => !/deleted/i.test(await code.label(half.thread)), "the thread is back");
    await goesOn(code, workspace, "deleted", half, files["src/deleted.rs"]);
  });

  test("a reply to a thread that others delete stays while another file is shown", async ({ code, workspace }) => {
    const half = await halfWritten(code, workspace, "hidden");
    await workspace.skein("review", "delete", half.id);
    await until(async () => /deleted/i.test(await code.label(half.thread)), "the label says so");
    await code.open("src/keys.rs");
    await code.open("src/hidden.rs");
    await half.thread.waitFor();
    assert.equal((await code.writing(half.thread)).text, half.before.text);
  });

  test("a reply to a thread that others resolve stays, also when they delete it then", async ({ code, workspace }) => {
    const half = await halfWritten(code, workspace, "closed");
    await workspace.skein("review", "resolve", half.id);
    await until(async () => /^resolved/i.test(await code.label(half.thread)), "the label says so");
    assert.deepEqual(await code.writing(half.thread), half.before);
    await workspace.skein("review", "delete", half.id);
    await until(async () => /deleted/i.test(await code.label(half.thread)), "the label says so");
    await goesOn(code, workspace, "closed", half, files["src/closed.rs"]);
  });

  test("no key is lost during a stream of answers and edits", async ({ code, workspace }) => {
    const half = await halfWritten(code, workspace, "keys");
    await code.press("Control+a", "Delete");
    const text = Array.from({ length: 14 }, (_, index) => `word${index}`).join(" ");
    let typing = true;
    const typed = code.page.keyboard.type(text, { delay: 50 }).finally(() => (typing = false));
    let round = 0;
    // More rounds would move the field out of sight.
    for (; round < MAX_ROUNDS && (typing || round < 2); round += 1) {
      workspace.edit("src/keys.rs", (code) => `// line ${round}\n${code}`);
      await workspace.agent("review", "reply", half.id, "-m", `Answer ${round}.`);
      await code.comment(`Answer ${round}.`, half.thread).waitFor();
    }
    await typed;
    assert.equal((await code.writing(half.thread)).text, text);
    assert.equal(await code.page.locator(".tab.dirty").count(), 0, "nothing was typed into the file");
  });

  test("showing threads has not written anything into the files of the store", async ({ code, workspace }) => {
    const before = contents(workspace.path(".code-review"));
    for (const name of NAMES) await code.open(`src/${name}.rs`);
    await until(async () => (await code.marks()).length > 0, "threads are shown");
    assert.deepEqual(contents(workspace.path(".code-review")), before);
  });
});
