// Suggestions are applied as they were shown, or not at all.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const FILE = "src/http.rs";
const ID = "0c9e";
const OLD = 'TcpListener::bind("0.0.0.0:8080")';
const NEW = 'TcpListener::bind("127.0.0.1:8080")';
const AT = { path: `/file/${FILE}` };

scene("a suggestion is applied after its preview, and resolves the thread", AT, async ({ ui, workspace }) => {
  const before = workspace.read(FILE);
  await ui.button("Apply suggestion…", ui.thread(ID)).click();
  await ui.dialog.locator(".change .del", { hasText: OLD }).waitFor();
  await ui.dialog.locator(".change .add", { hasText: NEW }).waitFor();
  assert.equal(workspace.read(FILE), before, "a preview changes nothing");
  await ui.button("Apply", ui.dialog).click();
  await ui.toast.getByText("Applied.").waitFor();
  await ui.dialog.waitFor({ state: "detached" });
  assert.equal(workspace.read(FILE), before.replace(OLD, NEW));
  await ui.file(FILE).locator("td.t", { hasText: NEW }).waitFor();
  await until(async () => (await ui.thread(ID).getAttribute("data-status")) === "resolved", "the thread is resolved");
});

scene("a suggestion is applied without resolving, and a preview can be closed", AT, async ({ ui, page, workspace }) => {
  const before = workspace.read(FILE);
  await ui.button("Apply suggestion…", ui.thread(ID)).click();
  await ui.dialog.waitFor();
  await page.keyboard.press("Escape");
  await ui.dialog.waitFor({ state: "detached" });
  assert.equal(workspace.read(FILE), before);
  await ui.button("Apply suggestion…", ui.thread(ID)).click();
  await ui.dialog.getByLabel("Resolve the thread too").click();
  await ui.button("Apply", ui.dialog).click();
  await ui.toast.getByText("Applied.").waitFor();
  assert.equal(workspace.read(FILE), before.replace(OLD, NEW));
  assert.match(await workspace.skein("review", "show", ID), /^\S+ {2}open/);
});

scene("a suggestion is refused when the file changed after the preview", AT, async ({ ui, window, workspace }) => {
  window.faults.expect(/status of 409/);
  await ui.button("Apply suggestion…", ui.thread(ID)).click();
  await ui.dialog.waitFor();
  workspace.edit(FILE, (text) => text.replace(OLD, 'TcpListener::bind("0.0.0.0:9090")'));
  const changed = workspace.read(FILE);
  await ui.button("Apply", ui.dialog).click();
  await expectConflict(ui);
  assert.equal(workspace.read(FILE), changed, "the file is as the agent left it");
  assert.match(await workspace.skein("review", "show", ID), /^\S+ {2}open/);
});

// The error is shown until the user closes it.
async function expectConflict(ui) {
  await ui.page.locator(".toast.bad").waitFor();
  assert.match(await ui.page.locator(".toast.bad").textContent(), /changed|not what/);
}

scene("lines that are added above after the preview do not make a suggestion change other lines", AT, async ({ ui, window, workspace }) => {
  window.faults.expect(/status of 409/);
  await ui.button("Apply suggestion…", ui.thread(ID)).click();
  await ui.dialog.waitFor();
  workspace.edit(FILE, (text) => `// A line above.\n${text}`);
  await ui.button("Apply", ui.dialog).click();
  await ui.toast.waitFor();
  const after = workspace.read(FILE);
  const original = after.replace("// A line above.\n", "").replace(NEW, OLD);
  assert.ok(original.includes(OLD) && after.startsWith("// A line above.\n"), "nothing else was changed");
});

scene("a preview shows invisible characters", AT, async ({ ui, workspace }) => {
  await workspace.agent("review", "add", `${FILE}:3`, "-m", "Nicer.", "--suggest", "use std::net::\u202eTcpListener;");
  const thread = ui.thread("Nicer.");
  await ui.button("Apply suggestion…", thread).click();
  await ui.dialog.locator(".change .add u", { hasText: "202e" }).waitFor();
});
