// Suggestions are applied as they were shown, or not at all.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const FILE = "src/http.rs";
const ID = "0c9e";
const OLD = 'TcpListener::bind("0.0.0.0:8080")';
const NEW = 'TcpListener::bind("127.0.0.1:8080")';
const AT = { path: `/file/${FILE}` };

scene("a suggestion is applied after its preview, and resolves the thread", AT, async ({ desk, workspace }) => {
  const before = workspace.read(FILE);
  await desk.button("Apply suggestion…", desk.thread(ID)).click();
  await desk.dialog.locator(".change .del", { hasText: OLD }).waitFor();
  await desk.dialog.locator(".change .add", { hasText: NEW }).waitFor();
  assert.equal(workspace.read(FILE), before, "a preview changes nothing");
  await desk.button("Apply", desk.dialog).click();
  await desk.toast.getByText("Applied.").waitFor();
  await desk.dialog.waitFor({ state: "detached" });
  assert.equal(workspace.read(FILE), before.replace(OLD, NEW));
  await desk.file(FILE).locator("td.t", { hasText: NEW }).waitFor();
  await until(async () => (await desk.thread(ID).getAttribute("data-status")) === "resolved", "the thread is resolved");
});

scene("a suggestion is applied without resolving, and a preview can be left", AT, async ({ desk, page, workspace }) => {
  const before = workspace.read(FILE);
  await desk.button("Apply suggestion…", desk.thread(ID)).click();
  await desk.dialog.waitFor();
  await page.keyboard.press("Escape");
  await desk.dialog.waitFor({ state: "detached" });
  assert.equal(workspace.read(FILE), before);
  await desk.button("Apply suggestion…", desk.thread(ID)).click();
  await desk.dialog.getByLabel("Resolve the thread too").click();
  await desk.button("Apply", desk.dialog).click();
  await desk.toast.getByText("Applied.").waitFor();
  assert.equal(workspace.read(FILE), before.replace(OLD, NEW));
  assert.match(await workspace.skein("review", "show", ID), /^\S+ {2}open/);
});

scene("a suggestion is refused when the file changed after the preview", AT, async ({ desk, window, workspace }) => {
  window.faults.expect(/status of 409/);
  await desk.button("Apply suggestion…", desk.thread(ID)).click();
  await desk.dialog.waitFor();
  workspace.edit(FILE, (text) => text.replace(OLD, 'TcpListener::bind("0.0.0.0:9090")'));
  const meanwhile = workspace.read(FILE);
  await desk.button("Apply", desk.dialog).click();
  await says(desk);
  assert.equal(workspace.read(FILE), meanwhile, "the file is as the agent left it");
  assert.match(await workspace.skein("review", "show", ID), /^\S+ {2}open/);
});

// What went wrong is said, and stays until it was read.
async function says(desk) {
  await desk.page.locator(".toast.bad").waitFor();
  assert.match(await desk.page.locator(".toast.bad").textContent(), /changed|not what/);
}

scene("lines that were added above after the preview do not lead a suggestion astray", AT, async ({ desk, window, workspace }) => {
  window.faults.expect(/status of 409/);
  await desk.button("Apply suggestion…", desk.thread(ID)).click();
  await desk.dialog.waitFor();
  workspace.edit(FILE, (text) => `// A line above.\n${text}`);
  await desk.button("Apply", desk.dialog).click();
  await desk.toast.waitFor();
  const after = workspace.read(FILE);
  const original = after.replace("// A line above.\n", "").replace(NEW, OLD);
  assert.ok(original.includes(OLD) && after.startsWith("// A line above.\n"), "nothing else was touched");
});

scene("a preview shows what cannot be seen", AT, async ({ desk, workspace }) => {
  await workspace.agent("review", "add", `${FILE}:3`, "-m", "Nicer.", "--suggest", "use std::net::\u202eTcpListener;");
  const thread = desk.thread("Nicer.");
  await desk.button("Apply suggestion…", thread).click();
  await desk.dialog.locator(".change .add u", { hasText: "202e" }).waitFor();
});
