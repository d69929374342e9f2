// What is on disk before the first comment, and a store that the original extension wrote.
import assert from "node:assert/strict";
import { until } from "../lib/until.mjs";
import { contents, source } from "../lib/files.mjs";
import { originalIndex, originalThread } from "../lib/original.mjs";
import { group } from "../lib/scene.mjs";

group("a folder without a store", { files: { "src/a.rs": source("a") } }, (test) => {
  test("opening it and its files writes nothing", async ({ code, workspace }) => {
    const before = contents(workspace.dir);
    await code.open("src/a.rs");
    // The extension has answered as soon as comments are possible.
    await code.plus(3);
    await code.command("Skein: Focus on Reviews View");
    await code.command("Skein: Focus on Work View");
    assert.deepEqual(contents(workspace.dir), before);
    assert.deepEqual(Object.keys(before), ["src/a.rs"]);
  });
});

const line = (name, number) => `let ${name}_${number} = compute("${name}", ${number});`;
const thread = (id, name, body) => {
  const [before, after] = [[line(name, 3), line(name, 4)], [line(name, 6), line(name, 7)]];
  return { id, path: `src/${name}.rs`, line: 4, selection: line(name, 5), before, after, body };
};
const threads = [thread("t0001", "plain", "Written by the original."), thread("t0002", "moved", "This code has moved.")];
const crlf = thread("t0003", "crlf", "With CRLF.");

function write(workspace) {
  for (const thread of threads) workspace.write(workspace.threadFile(thread.id), originalThread(thread));
  workspace.write(workspace.threadFile(crlf.id), originalThread(crlf).replaceAll("\n", "\r\n"));
  workspace.write(".code-review/index.json", originalIndex([...threads, crlf]));
}

const files = { "src/plain.rs": source("plain"), "src/moved.rs": `// one\n// two\n${source("moved")}`, "src/crlf.rs": source("crlf") };

group("a store of the original extension", { files, prepare: write }, (test) => {
  test("is shown with threads at their code, and no byte changes", async ({ code, workspace }) => {
    const before = contents(workspace.path(".code-review"));
    await code.open("src/plain.rs");
    await code.unfold(5);
    await code.comment("Written by the original.").waitFor();
    await code.open("src/crlf.rs");
    await code.unfold(5);
    await code.comment("With CRLF.").waitFor();
    await code.open("src/moved.rs");
    await until(async () => String(await code.marks()) === "7", "the thread is at its code");
    assert.deepEqual(contents(workspace.path(".code-review")), before);
  });

  for (const [name, id, end] of [
    ["plain", "t0001", "\n"],
    ["crlf", "t0003", "\r\n"],
  ]) {
    test(`a reply to ${id} changes only what it must`, async ({ code, workspace }) => {
      const before = workspace.read(workspace.threadFile(id));
      await code.open(`src/${name}.rs`);
      await code.unfold(5);
      await code.reply(code.thread());
      await code.type("An answer.");
      await code.button("Reply", code.thread()).click();
      await code.comment("An answer.").waitFor();
      const after = workspace.read(workspace.threadFile(id));
      assert.match(after, /An answer\./);
      // Without the new comment at the end and the time of the change, the file is as before.
      const start = after.slice(0, after.lastIndexOf("<local-code-review-comment")).trimEnd();
      const untimed = (text) => text.replace(/"updatedAt": "[^"]*"/, "");
      assert.equal(untimed(start), untimed(before).trimEnd());
      assert.equal(after.includes("\r\n"), end === "\r\n");
    });
  }
});
