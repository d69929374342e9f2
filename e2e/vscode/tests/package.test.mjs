// The package that contains the program, installed as a user does, where no `skein` is on the search path.
import assert from "node:assert/strict";
import { test } from "node:test";
import { source } from "../lib/files.mjs";
import { findProcesses } from "../lib/processes.mjs";
import { group } from "../lib/scene.mjs";

const VSIX = process.env.SKEIN_VSIX;
const files = { "src/a.rs": source("a") };
const prepare = (workspace) => workspace.agent("review", "add", "src/a.rs:5", "-m", "A thread.");

function define(test) {
  test("shows threads with the program inside it", async ({ code, server, workspace }) => {
    await code.open("src/a.rs");
    await code.unfold(5);
    await code.comment("A thread.").waitFor();
    const [watch] = findProcesses((args) => args[2] === workspace.dir && args.includes("watch"));
    assert.ok(watch.args[0].startsWith(`${server.base}/extensions/`), watch.args[0]);
  });
}

if (VSIX) group("the package", { files, prepare, server: { extensions: [], vsix: VSIX, skein: false } }, define);
else test("the package", { skip: "SKEIN_VSIX names no package; .ci/long makes one" }, () => {});
