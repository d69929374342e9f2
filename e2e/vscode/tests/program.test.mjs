// Without a usable program, and in a folder that is not trusted.
import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { SKEIN } from "../../lib/workspace.mjs";
import { until } from "../lib/until.mjs";
import { contents, source } from "../lib/files.mjs";
import { group } from "../lib/scene.mjs";

const files = { "src/a.rs": source("a") };
const add = (workspace) => workspace.agent("review", "add", "src/a.rs:5", "-m", "A thread.");

group("without the program", { files, server: { skein: false } }, (test) => {
  test("only the view says so in a folder without a store", async ({ code }) => {
    await code.command("Skein: Focus on Reviews View");
    await code.page.locator(".part.sidebar").getByText("Skein needs the program skein").waitFor();
    assert.equal(await code.notifications.count(), 0);
  });

  test("one message says so in a folder with a store, and the setting is followed at once", async ({ code, server, workspace }) => {
    await add(workspace);
    await code.reload();
    const message = code.notification("needs the program skein");
    await message.waitFor();
    assert.equal(await code.notifications.count(), 1);
    assert.deepEqual(await message.getByRole("button").allTextContents().then((names) => names.filter(Boolean)), ["How to Install", "Choose Program…", "Try Again"]);
    server.machine({ "skein.path": SKEIN });
    await code.open("src/a.rs");
    await code.unfold(5);
    await code.comment("A thread.").waitFor();
    await code.clearNotifications();
  });

  test("an old program is named, and nothing else is run with it", async ({ code, server, workspace }) => {
    const old = workspace.path("../old-skein");
    writeFileSync(old, `#!/bin/sh\necho "$@" >>${old}.log\necho "error: unrecognized subcommand 'version'" >&2\nexit 2\n`, { mode: 0o755 });
    server.machine({ "skein.path": old });
    await code.notification("too old").waitFor();
    assert.match(await code.notification("too old").textContent(), /old-skein/);
    await code.clearNotifications();
    assert.match(workspace.read("../old-skein.log"), /^(version --json\n)+$/);
  });

  test("a program that crashes is reported once, and works again as soon as it no longer crashes", async ({ code, server, workspace }) => {
    const broken = workspace.path("../broken-skein");
    const crash = `case "$*" in version*) ;; *) if [ -e ${broken}.on ]; then echo "$@" >>${broken}.log; kill -SEGV $$; fi ;; esac`;
    writeFileSync(broken, `#!/bin/sh\n${crash}\nexec ${SKEIN} "$@"\n`, { mode: 0o755 });
    workspace.write("../broken-skein.on", "");
    server.machine({ "skein.path": broken });
    await code.open("src/a.rs");
    await code.notification("ended with a signal").waitFor();
    await until(() => workspace.read("../broken-skein.log").trim().split("\n").length > 2, "it is tried again");
    assert.equal(await code.notifications.count(), 1);
    assert.deepEqual(await code.marks(), []);
    await code.type("// still an editor ");
    await code.page.locator(".view-line", { hasText: "// still an editor" }).waitFor();
    await code.clearNotifications();
    rmSync(`${broken}.on`);
    await code.unfold(5);
    await code.comment("A thread.").waitFor();
  });
});

const trusting = { "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never", "security.workspace.trust.banner": "never" };

group("a folder that is not trusted", { files, prepare: add, settings: trusting }, (test) => {
  test("nothing is started, and the views say why", async ({ code, server, workspace }) => {
    const trace = workspace.path("../trace");
    const spy = workspace.path("../spy-skein");
    writeFileSync(spy, `#!/bin/sh\necho "$@" >>${trace}\nexec ${SKEIN} "$@"\n`, { mode: 0o755 });
    server.machine({ "skein.path": spy });
    const before = contents(workspace.dir);
    await code.open("src/a.rs");
    await code.command("Skein: Focus on Reviews View");
    await code.page.locator(".part.sidebar").getByText(/trust/i).first().waitFor();
    assert.deepEqual(await code.marks(), []);
    assert.equal(existsSync(trace), false, "the program was started");
    assert.deepEqual(contents(workspace.dir), before);
  });

  test("threads are shown as soon as it is trusted", async ({ code, server }) => {
    server.machine();
    await code.command("Workspaces: Manage Workspace Trust");
    await code.button("Trust").first().click();
    await code.open("src/a.rs");
    await code.unfold(5);
    await code.comment("A thread.").waitFor();
  });
});
