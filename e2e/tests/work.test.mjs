// Checkpoints and their steps: read, filtered, closed and resumed on the page, while the command line does the same.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { gate, until } from "../lib/until.mjs";
import { REVIEWER } from "../lib/workspace.mjs";

const entry = (page, title) => page.locator(".timeline-entry", { hasText: title });
const step = (page, text) => page.locator(".step", { hasText: text });

scene("a checkpoint that the command line saves appears on the timeline", { path: "/work" }, async ({ t, ui, page, workspace }) => {
  await ui.connected();
  await entry(page, "Load test of the HTTP face").waitFor();
  assert.equal(await entry(page, "Load test").getByRole("img").getAttribute("aria-label"), "Worker load-tester · http: error");
  await page.evaluate(() => {
    const seen = () => document.body.textContent.includes("Saved in a terminal") && (window.seenAt ??= Date.now());
    new MutationObserver(seen).observe(document.body, { subtree: true, childList: true, characterData: true });
    window.stays = true;
  });
  await workspace.agent("checkpoint", "save", "-m", "Saved in a terminal", "--step", "Look at the page", "--tag", "http");
  const written = Date.now();
  await entry(page, "Saved in a terminal").waitFor();
  t.diagnostic(`seen ${(await page.evaluate(() => window.seenAt)) - written} ms after the command had ended`);
  await workspace.skein("handoff", "-m", "Handed over in a terminal");
  await entry(page, "Handed over in a terminal").locator(".tag.last").waitFor();
  assert.equal(await page.locator(".tag.last").count(), 1);
  await workspace.agent("resume", "--take", "--for", "2h");
  const state = entry(page, "Handed over in a terminal").locator(".tag.state");
  await state.getByText(/^taken by .* until /).waitFor();
  await workspace.skein("handoff", "done", "@last");
  await state.getByText("done", { exact: true }).waitFor();
  assert.ok(await page.evaluate(() => window.stays), "the page was not loaded again");
});

scene("the timeline is filtered by the chosen values", { path: "/work" }, async ({ page }) => {
  await page.getByLabel("Tag").selectOption("bench");
  await page.waitForURL(/tag=bench/);
  assert.equal(await page.locator(".timeline-entry").count(), 1);
  await page.getByRole("link", { name: /^Handoffs/ }).click();
  await page.getByText("No matching checkpoints.").waitFor();
  await page.getByRole("link", { name: "Show all" }).first().click();
  await page.getByLabel("With steps left").check();
  await page.waitForURL(/steps=open/);
  assert.equal(await page.locator(".timeline-entry").count(), 3);
  assert.equal(await page.getByLabel("With steps left").isChecked(), true);
});

scene("the brief is copied as the command line prints it", { path: "/work" }, async ({ ui, page, workspace }) => {
  await entry(page, "Cache eviction").locator("a").click();
  await page.getByRole("heading", { level: 1, name: "Cache eviction" }).waitFor();
  await ui.button("Copy the brief").click();
  await ui.toast.getByText("Copied the brief.").waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1);
  assert.equal((await ui.clipboard()).trim(), (await workspace.skein("resume", id)).trim());
});

scene("steps are closed, undone, dropped and reopened", { path: "/work/steps" }, async ({ ui, page, workspace }) => {
  await step(page, "Decide what a limit of 0 means").getByRole("button", { name: /^Done/ }).click();
  await step(page, "Decide what a limit of 0 means").waitFor({ state: "detached" });
  assert.match(await workspace.skein("steps", "list", "--all"), /done.*Decide what a limit of 0 means/);
  await ui.button("Undo", ui.toast).click();
  await step(page, "Decide what a limit of 0 means").waitFor();
  await step(page, "Read the whole request").getByRole("button", { name: /^Drop/ }).click();
  await step(page, "Read the whole request").waitFor({ state: "detached" });
  await page.getByRole("link", { name: /^Dropped/ }).click();
  await step(page, "Read the whole request").getByText(`by ${REVIEWER}`).waitFor();
  await step(page, "Read the whole request").getByRole("button", { name: /^Reopen/ }).click();
  await page.getByText("No step was dropped.").waitFor();
  assert.match(await workspace.skein("steps"), /Read the whole request/);
});

scene("a click while the scripts are being loaded is not lost", { path: "/work/steps" }, async ({ page }) => {
  const held = gate();
  for (const script of ["app", "work"]) {
    await page.route(`**/assets/*/${script}.js`, (route) => held.opened.then(() => route.continue()));
  }
  await page.goto(`${page.url()}?show=all`, { waitUntil: "commit" });
  await until(() => page.evaluate(() => performance.getEntriesByType("paint").length > 0), "the page is painted without its scripts");
  await step(page, "Decide what a limit of 0 means").getByRole("button", { name: /^Done/ }).click();
  held.open();
  await step(page, "Decide what a limit of 0 means").getByRole("button", { name: /^Reopen/ }).waitFor();
});

scene("a selection of lines while the scripts are being loaded is not lost", async ({ ui, page }) => {
  const held = gate();
  await page.route("**/assets/*/app.js", (route) => held.opened.then(() => route.continue()));
  await page.goto(page.url(), { waitUntil: "commit" });
  await ui.drag("src/cache.rs", 26, 28);
  held.open();
  await ui.composer.getByText("src/cache.rs:26-28").waitFor();
});

scene("Enter opens the item under the cursor, whatever has the focus", { path: "/work/steps" }, async ({ page }) => {
  await page.locator(".step").first().waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.locator(".toast", { hasText: "Undo" }).waitFor();
  await page.keyboard.press("k");
  const left = await page.locator(".step").count();
  const href = await page.locator(".step[data-my-cursor]").evaluate((step) => step.closest(".group").querySelector("h2 a").getAttribute("href"));
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === href);
  await page.goBack();
  assert.equal(await page.locator(".step").count(), left, "no other step is closed");
});

scene("a step that the command line closes disappears from the page", { path: "/work/steps" }, async ({ ui, page, workspace }) => {
  await ui.connected();
  await step(page, "Read the whole request").waitFor();
  const handle = /(\S+#\d+).*Read the whole request/.exec(await workspace.skein("steps"))[1];
  await workspace.skein("steps", "done", handle);
  await step(page, "Read the whole request").waitFor({ state: "detached" });
  await workspace.skein("steps", "reopen", handle);
  await step(page, "Read the whole request").waitFor();
});

scene("a step that changed before the click is not closed, and a message says so", { path: "/work/steps" }, async ({ ui, page, workspace, window }) => {
  window.faults.expect(/status of 409/);
  const file = `workspace/threads/${await step(page, "Read the whole request").getAttribute("data-checkpoint")}.json`;
  await page.route("**/api/v1/checkpoints/**", async (route) => {
    workspace.edit(file, (text) => text.replace("Read the whole request", "Read half of the request"));
    await route.continue();
  });
  await step(page, "Read the whole request").getByRole("button", { name: /^Done/ }).click();
  await ui.toast.getByText("the step has changed since it was shown").waitFor();
  await ui.toast.getByText("It is now: Read half of the request (open)").waitFor();
  await step(page, "Read half of the request").waitFor();
  assert.match(workspace.read(file), /"Read half of the request"/);
});

scene("everything can be done with the keyboard alone", async ({ ui, page, workspace }) => {
  await ui.connected();
  await page.keyboard.press("w");
  await page.waitForURL(/\/work$/);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Load test of the HTTP face" }).waitFor();
  await page.waitForLoadState();
  await page.keyboard.press("y");
  await ui.toast.getByText("Copied the brief.").waitFor();
  assert.match(await ui.clipboard(), /^# Resume: Load test of the HTTP face/);
  await page.keyboard.press("W");
  await page.waitForURL(/\/work\/steps$/);
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await step(page, "Bind to 127.0.0.1").waitFor({ state: "detached" });
  // The list may be updated before the response to the request arrives, and only then there is a button to undo.
  await ui.toast.getByRole("button", { name: "Undo" }).waitFor();
  await page.keyboard.press("z");
  await step(page, "Bind to 127.0.0.1").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("d");
  await step(page, "Bind to 127.0.0.1").waitFor({ state: "detached" });
  assert.match(await workspace.skein("steps", "list", "--all"), /dropped.*Bind to 127\.0\.0\.1/);
  await page.keyboard.press("S");
  await page.waitForURL(/\/sessions$/);
});

scene("old checkpoints are moved after a preview", { path: "/work/cleanup" }, async ({ ui, page, workspace }) => {
  await page.getByText("Nothing to clean up.").waitFor();
  const id = "T-20260101-090000-auto-old";
  const old = { thread_id: id, version: 1, type: "auto-checkpoint", created_at: "2026-01-01T09:00:00.000Z", updated_at: "2026-01-01T09:00:00.000Z", conversation_summary: "Old", metadata: { title: "Auto: old" } };
  workspace.write(`workspace/threads/${id}.json`, `${JSON.stringify(old, null, 2)}\n`);
  await page.getByText("an auto-checkpoint, older than 14 days").waitFor();
  await ui.button("Move it").click();
  await ui.button("Move them", ui.dialog).click();
  await ui.toast.getByText("1 checkpoint was moved.").waitFor();
  await page.getByText("Nothing to clean up.").waitFor();
  assert.doesNotMatch(await workspace.skein("checkpoint", "list"), /Auto: old/);
});

scene("the pages can be read without JavaScript", { path: null, window: { javaScriptEnabled: false } }, async ({ window }) => {
  const { page } = await window.open("/work");
  await page.getByLabel("Tag").selectOption("bench");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  assert.equal(await page.locator(".timeline-entry").count(), 1);
  await page.locator(".timeline-entry a").click();
  assert.match(await page.getByLabel("The brief").inputValue(), /^# Resume: Load test/);
  await until(() => page.getByLabel("The brief").isVisible(), "the brief can be selected");
  await page.goto(`${window.server.origin}/work/steps`);
  await step(page, "Bind to 127.0.0.1").waitFor();
  await page.goto(`${window.server.origin}/sessions`);
  await page.getByText("Spike: ring buffer").waitFor();
});
