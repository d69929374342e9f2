// 3,000 threads in 50 files, and a file with more threads than are shown at once.
import assert from "node:assert/strict";
import { until } from "../lib/until.mjs";
import { addMany, manyFiles } from "../lib/many.mjs";
import { group } from "../lib/scene.mjs";

const MAX_SHOWN = 40;
const prepare = (workspace) => addMany(workspace, 3_000);

group("3,000 threads", { files: manyFiles(), prepare }, (test) => {
  test("a file with 60 threads shows 40 of them, and lists the others", async ({ code }) => {
    await code.open("src/part7.rs");
    const summary = code.thread("more open threads");
    await summary.waitFor();
    assert.match(await code.label(summary), /^20 more open threads/);
    assert.equal(await summary.locator(".comment-body li").count(), 60 - MAX_SHOWN);
  });

  test("a thread of the list is shown with a click", async ({ code }) => {
    await code.open("src/part8.rs");
    const link = code.thread("more open threads").locator(".comment-body a").last();
    const place = await link.textContent();
    await link.click();
    const line = Number(place.split(":").at(-1));
    await until(async () => (await code.marks()).includes(line), `a thread on line ${line}`);
  });

  test("a thread that waits on the reviewer is shown before others", async ({ code, workspace }) => {
    const { threads } = await workspace.threads("--file=src/part9.rs");
    // It is farther from the visible lines than the others.
    const { id } = threads.find(({ at }) => at === "src/part9.rs:60");
    await workspace.agent("review", "reply", id, "-m", "Please look.");
    await code.open("src/part9.rs");
    const rest = code.thread("more open threads").locator(".comment-body li");
    await until(async () => (await rest.count()) === 60 - MAX_SHOWN, "as many are listed as before");
    await until(async () => (await rest.filter({ hasText: /part9\.rs:60\D/ }).count()) === 0, "another one is listed instead");
  });

  test("the threads near the visible lines are shown, and the others are listed with a click", async ({ code }) => {
    await code.open("src/part5.rs", 60);
    // About the middle of the visible lines.
    await until(async () => (await code.marks()).filter((line) => line > 50).length === 10, "the last threads are shown");
    await code.status.getByText("20 more in this file").click();
    await code.picker.locator(".monaco-list-row", { hasText: "Line 1" }).first().waitFor();
    await code.picker.locator("input").fill("Line 33");
    await code.picker.locator(".monaco-list-row.focused", { hasText: "Line 33" }).waitFor();
    await code.press("Enter");
    await until(() => code.isUnfolded(33), "the thread is open");
  });

  test("an agent's answer is shown while a file of them is open", async ({ t, code, workspace }) => {
    await code.open("src/part3.rs", 40);
    await code.unfold(30);
    const { threads } = await workspace.threads("--file=src/part3.rs");
    const { id } = threads.find(({ at }) => at === "src/part3.rs:30");
    const start = Date.now();
    await workspace.agent("review", "reply", id, "-m", "Here I am.");
    await code.comment("Here I am.").waitFor();
    t.diagnostic(`shown ${Date.now() - start} ms after the start of the command`);
  });
});
