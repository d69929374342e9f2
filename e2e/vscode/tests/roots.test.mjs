// A window with two folders whose threads have the same ids.
import assert from "node:assert/strict";
import { until } from "../lib/until.mjs";
import { Workspace } from "../../lib/workspace.mjs";
import { source } from "../lib/files.mjs";
import { originalThread } from "../lib/original.mjs";
import { group } from "../lib/scene.mjs";

const ID = "t0001";
const thread = (name) => ({ id: ID, path: `src/${name}.rs`, line: 4, selection: `let ${name}_5 = compute("${name}", 5);`, body: `In the folder ${name}.` });

// Both folders are below the directory of one workspace, whose own folder is the first one.
async function twoFolders() {
  const first = await Workspace.plain({ "src/first.rs": source("first") });
  const second = await Workspace.plain({ "src/second.rs": source("second") });
  first.write(first.threadFile(ID), originalThread(thread("first")));
  second.write(second.threadFile(ID), originalThread(thread("second")));
  first.second = second;
  const dispose = first.dispose.bind(first);
  first.dispose = () => [dispose(), second.dispose()];
  first.write("../both.code-workspace", JSON.stringify({ folders: [{ path: first.dir, name: "one" }, { path: second.dir, name: "two" }] }));
  return first;
}

group("two folders with equal ids", { make: twoFolders, path: (workspace) => workspace.path("../both.code-workspace") }, (test) => {
  test("each file shows the thread of its own folder", async ({ code }) => {
    for (const name of ["first", "second"]) {
      await code.open(`${name}.rs`);
      await code.unfold(5);
      await code.comment(`In the folder ${name}.`).waitFor();
      assert.equal(await code.threads.count(), 1);
    }
  });

  test("a reply goes into the folder of its file", async ({ code, workspace }) => {
    const before = workspace.read(workspace.threadFile(ID));
    await code.open("second.rs");
    await code.unfold(5);
    await code.reply(code.thread());
    await code.type("Only here.");
    await code.button("Reply", code.thread()).click();
    await code.comment("Only here.").waitFor();
    assert.match(workspace.second.read(workspace.second.threadFile(ID)), /Only here\./);
    assert.equal(workspace.read(workspace.threadFile(ID)), before);
  });

  test("resolving one leaves the other one open", async ({ code, workspace }) => {
    await code.open("first.rs");
    await code.unfold(5);
    await code.button("Resolve Thread", code.thread()).click();
    await until(() => /"status": "resolved"/.test(workspace.read(workspace.threadFile(ID))), "the first one is resolved");
    assert.match(workspace.second.read(workspace.second.threadFile(ID)), /"status": "open"/);
  });
});
