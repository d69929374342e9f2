// The views in the side bar and the status bar.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../lib/until.mjs";
import { SKEIN, Workspace } from "../../lib/workspace.mjs";
import { group } from "../lib/scene.mjs";

// In the demo.
const WAITING = "This lets one entry";
const STEP = "Commit the fixes of the cache";

// A program that lets another one change a file just before it closes a step.
const CHANGED = "changed-step";
const dir = mkdtempSync(join(tmpdir(), "skein-views-"));
const racing = join(dir, "skein");
process.on("exit", () => rmSync(dir, { recursive: true, force: true }));
const RACE = `changed="$2/../${CHANGED}"
case "$*" in *" steps done "*) [ ! -e "$changed" ] || mv "$changed" "$(cat "$changed.path")" ;; esac`;
writeFileSync(racing, `#!/bin/sh\n${RACE}\nexec ${SKEIN} "$@"\n`, { mode: 0o755 });

group("the views", { make: Workspace.demo, machine: { "skein.path": racing } }, (test) => {
  test("the status bar counts what waits on the reviewer, and follows", async ({ code, workspace }) => {
    const { threads } = await workspace.threads("--waiting=reviewer");
    assert.ok(threads.length > 1, "the demo has such threads");
    const count = (number) => code.status.getByText(new RegExp(`\\b${number} waits? on you`)).waitFor();
    await count(threads.length);
    await workspace.skein("review", "resolve", threads[0].id);
    await count(threads.length - 1);
  });

  test("the reviews are listed by turn, and a click opens the thread", async ({ code }) => {
    await code.command("Skein: Focus on Reviews View");
    await code.tree("Waiting on You").waitFor();
    await code.tree(WAITING).first().click();
    await code.comment(WAITING).waitFor();
  });

  test("a step that is ticked is closed in its file, and one that others reopen is unticked", async ({ code, workspace }) => {
    const { steps } = JSON.parse(await workspace.skein("steps", "--json"));
    const { handle, step } = steps.find(({ step }) => step !== STEP);
    const status = async () => JSON.parse(await workspace.skein("steps", "list", "--all", "--json")).steps.find((each) => each.handle === handle).status;
    await code.command("Skein: Focus on Work View");
    await code.unfoldTrees();
    const box = code.tree(step).getByRole("checkbox");
    await box.click();
    await until(async () => (await status()) === "done", "the step is done");
    await workspace.agent("steps", "reopen", handle);
    await until(async () => (await box.getAttribute("aria-checked")) === "false", "the view follows");
  });

  test("a step whose text others have changed is not closed", async ({ code, workspace }) => {
    const { steps } = JSON.parse(await workspace.skein("steps", "--json"));
    const { step, file } = steps.find(({ step }) => step === STEP);
    await code.command("Skein: Focus on Work View");
    await code.unfoldTrees();
    const row = code.tree(step);
    await row.waitFor();
    const path = file.replace(`${workspace.dir}/`, "");
    const changed = workspace.read(path).replace(JSON.stringify(step).slice(1, -1), "Something else");
    assert.notEqual(changed, workspace.read(path));
    // Written after the click, and before the program closes the step.
    workspace.write(`../${CHANGED}`, changed);
    workspace.write(`../${CHANGED}.path`, file);
    await row.getByRole("checkbox").click();
    await code.notification("changed in the meantime").waitFor();
    await code.clearNotifications();
    const other = code.tree("Something else").getByRole("checkbox");
    await until(async () => (await other.getAttribute("aria-checked")) === "false", "the view has the other text, unticked");
    assert.equal(workspace.read(path), changed);
  });

  test("the brief opens as a document, and can be copied", async ({ code }) => {
    await code.command("Skein: Show the Brief");
    await code.page.locator(".editor-instance .view-line").nth(3).waitFor();
    const text = await code.copied(() => code.command("Skein: Copy the Brief"));
    assert.ok(text.length > 200, text);
  });

  test("sessions are listed with their project", async ({ code, workspace }) => {
    const { threads: sessions } = JSON.parse(await workspace.skein("session", "list", "--json"));
    assert.ok(sessions.length > 0, "the demo has sessions");
    await code.command("Skein: Focus on Sessions View");
    for (const { title, project_name: project } of sessions) await code.tree(title).filter({ hasText: project }).first().waitFor();
  });

  test("work is handed over with its next steps", async ({ code, workspace }) => {
    await code.command("Skein: Hand Over the Work");
    const answers = { "know first": "The limit is done; look at the tests.", "Next step 1": "Run the tests", "Next step 2": "" };
    for (const [question, answer] of Object.entries(answers)) {
      await code.picker.filter({ hasText: question }).locator("input").fill(answer);
      await code.press("Enter");
    }
    await code.notification("Handed over").waitFor();
    const { handoff_message: message } = JSON.parse(await workspace.skein("--json"));
    assert.equal(message, "The limit is done; look at the tests.");
    const { steps } = JSON.parse(await workspace.skein("steps", "--json"));
    assert.ok(steps.some(({ step }) => step === "Run the tests"));
    await code.clearNotifications();
  });
});
