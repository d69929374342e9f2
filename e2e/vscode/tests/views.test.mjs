// The views in the side bar and the status bar.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../lib/until.mjs";
import { SKEIN, Workspace } from "../../lib/workspace.mjs";
import { group } from "../lib/scene.mjs";

// In the demo.
const WAITING = "This lets one entry";
const ANSWER = "Right. It is";
const DAMAGED = "half-written";
const STEP = "Commit the fixes of the cache";

// A program that lets another one change a file just before it closes a step.
const CHANGED = "changed-step";
const dir = mkdtempSync(join(tmpdir(), "skein-views-"));
const racing = join(dir, "skein");
process.on("exit", () => rmSync(dir, { recursive: true, force: true }));
const RACE = `changed="$2/../${CHANGED}"
case "$*" in *" steps done "*) [ ! -e "$changed" ] || mv "$changed" "$(cat "$changed.path")" ;; esac`;
writeFileSync(racing, `#!/bin/sh\n${RACE}\nexec ${SKEIN} "$@"\n`, { mode: 0o755 });

group("the views", { make: Workspace.demo, program: racing }, (test) => {
  test("the status bar counts what waits on the reviewer, and follows", async ({ code, workspace }) => {
    const { threads } = await workspace.threads("--waiting=reviewer");
    assert.ok(threads.length > 1, "the demo has such threads");
    const count = (number) => code.status.getByText(new RegExp(`\\b${number} waits? on you`)).waitFor();
    await count(threads.length);
    await workspace.skein("review", "resolve", threads[0].id);
    await count(threads.length - 1);
  });

  test("the reviews are listed by turn with the last answer, and a click opens the thread", async ({ code }) => {
    await code.command("Skein: Focus on Reviews View");
    await code.tree("Waiting on You").waitFor();
    const row = code.tree(ANSWER).first();
    assert.match(await row.textContent(), /^cache\.rs:\d+-\d+.*Claude Code, [^:]+: Right\./);
    await row.click();
    await code.comment(WAITING).waitFor();
  });

  test("a thread that code has moved is listed at its line, as soon as the file is written", async ({ code, workspace }) => {
    await code.command("Skein: Focus on Reviews View");
    const place = async () => (await code.tree(ANSWER).first().textContent()).match(/cache\.rs:(\d+)/)?.[1];
    const line = Number(await place());
    workspace.edit("src/cache.rs", (text) => `// one\n// two\n${text}`);
    await until(async () => Number(await place()) === line + 2, "the view follows");
  });

  test("the threads that wait on the reviewer are visited one after the other, across files", async ({ code, workspace }) => {
    const { threads } = await workspace.threads("--waiting=reviewer");
    const places = threads.map(({ at }) => at.replace(/^.*\//, "").replace(/-\d+$/, ""));
    assert.ok(new Set(places.map((place) => place.split(":")[0])).size > 1, "they are in several files");
    const visited = [];
    while (visited.length < places.length) {
      await code.command("Skein: Next Thread That Waits on You");
      const isNext = (place) => places.includes(place) && place !== visited.at(-1);
      const place = await until(async () => {
        const place = `${await code.activeName()}:${await code.cursorLine()}`;
        return isNext(place) && place;
      }, "another thread has the cursor");
      visited.push(place);
    }
    assert.deepEqual(visited.sort(), places.sort());
  });

  test("a thread file that cannot be read is listed with the reason, without commands on threads", async ({ code, workspace }) => {
    // It may still be written, as long as it is new.
    utimesSync(workspace.path(workspace.threadFile(DAMAGED)), 0, 0);
    await code.command("Skein: Focus on Reviews View");
    await code.command("Skein: Refresh");
    const row = code.tree(DAMAGED).first();
    await row.filter({ hasText: "no closed metadata block" }).waitFor();
    await row.hover();
    assert.deepEqual(await row.locator(".actions [role=button]").evaluateAll((all) => all.map((one) => one.ariaLabel)), ["Open the Thread File"]);
    await row.click();
    await code.activeTab(`${DAMAGED}.md`).waitFor();
  });

  test("a step that is ticked is closed in its file, and one that others reopen is unticked", async ({ code, workspace }) => {
    const { steps } = JSON.parse(await workspace.skein("steps", "--json"));
    const { handle, step } = steps.find(({ step }) => step !== STEP);
    const status = async () => JSON.parse(await workspace.skein("steps", "list", "--all", "--json")).steps.find((each) => each.handle === handle).status;
    await code.command("Skein: Focus on Work View");
    const box = (await code.unfoldTo(step)).getByRole("checkbox");
    await box.click();
    await until(async () => (await status()) === "done", "the step is done");
    await workspace.agent("steps", "reopen", handle);
    await until(async () => (await box.getAttribute("aria-checked")) === "false", "the view follows");
  });

  test("a step whose text others have changed is not closed", async ({ code, workspace }) => {
    const { steps } = JSON.parse(await workspace.skein("steps", "--json"));
    const { step, file } = steps.find(({ step }) => step === STEP);
    await code.command("Skein: Focus on Work View");
    const row = await code.unfoldTo(step);
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
