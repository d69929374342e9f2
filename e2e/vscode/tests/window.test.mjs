// The window as a whole: a reload, a crash of the extension host, and the page in the browser.
import assert from "node:assert/strict";
import { until } from "../lib/until.mjs";
import { source } from "../lib/files.mjs";
import { findProcesses } from "../lib/processes.mjs";
import { group } from "../lib/scene.mjs";

const files = { "src/a.rs": source("a") };
const prepare = (workspace) => workspace.agent("review", "add", "src/a.rs:5", "-m", "A thread.");

const programs = (workspace) => findProcesses((args) => args[1] === "-C" && args[2] === workspace.dir);

group("a window", { files, prepare, window: true }, (test) => {
  test("shows the threads again after a reload, with one program that watches", async ({ code, workspace }) => {
    await code.open("src/a.rs");
    await code.unfold(5);
    await code.reload();
    await code.open("src/a.rs");
    await code.unfold(5);
    await code.comment("A thread.").waitFor();
    await until(() => programs(workspace).length === 1, "there is one program");
  });

  test("serves the review in the browser; code-server, which changes its address, gets the address to copy", async ({ code, workspace }) => {
    await code.command("Skein: Open the Review in the Browser");
    const message = code.notification("can only be opened as http://127.0.0.1");
    const address = await code.copied(() => code.button("Copy Address", message).click());
    const page = await code.page.context().newPage();
    await page.goto(address);
    await page.getByText("A thread.").first().waitFor();
    await page.close();
    assert.equal(programs(workspace).filter(({ args }) => args.includes("serve")).length, 1);
  });

  test("leaves no program behind when the extension host is killed", async ({ workspace }) => {
    const before = programs(workspace);
    assert.ok(before.length >= 1);
    const hosts = findProcesses((args) => args.includes("--type=extensionHost")).map(({ pid }) => pid);
    const [host] = hosts.filter((pid) => before.some(({ parents }) => parents.includes(pid)));
    process.kill(host, "SIGKILL");
    await until(() => programs(workspace).every(({ pid }) => !before.some((each) => each.pid === pid)), "all have ended");
  });
});
