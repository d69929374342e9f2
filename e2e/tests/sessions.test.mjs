// Agent sessions: their status is set on the page and on the command line, and a damaged file is repaired after a preview.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";

const MAP = "sessions/mattermost-threads.json";
const session = (page, text) => page.locator(".session", { hasText: text });
const group = (page, name) => page.locator(".session-group", { has: page.getByRole("heading", { name, exact: true }) });

scene("a status is set and undone", { path: "/sessions" }, async ({ ui, page, workspace }) => {
  const one = session(page, "Answer Mira's review");
  await one.getByText("Set status").click();
  await ui.button("Orphaned", one).click();
  await group(page, "Orphaned").getByText("Answer Mira's review").waitFor();
  assert.match(await workspace.skein("session", "list"), /orphaned.*Answer Mira's review/);
  await ui.button("Undo", ui.toast).click();
  await group(page, "Active").getByText("Answer Mira's review").waitFor();
});

scene("ending a session asks for confirmation, because it is final", { path: "/sessions" }, async ({ ui, page, workspace }) => {
  const one = session(page, "Answer Mira's review");
  await one.locator("summary").focus();
  await page.keyboard.press("Enter");
  await ui.button("Ended", one).focus();
  await page.keyboard.press("Enter");
  await ui.dialog.getByText("cannot get another status").waitFor();
  await page.keyboard.press("Escape");
  assert.match(await workspace.skein("session", "list"), /active.*Answer Mira's review/);
  await one.locator("summary").click();
  await ui.button("Ended", one).click();
  await ui.button("End it", ui.dialog).click();
  await group(page, "Ended").getByText("Answer Mira's review").waitFor();
  assert.equal(await one.locator("summary").count(), 0);
});

scene("a status that the command line sets appears on the page", { path: "/sessions" }, async ({ ui, page, workspace }) => {
  await ui.connected();
  await group(page, "Active").getByText("Answer Mira's review").waitFor();
  await workspace.skein("session", "set", "ses_1f0c", "status=disconnected", "title=Renamed in a terminal");
  await group(page, "Disconnected").getByText("Renamed in a terminal").waitFor();
});

scene("a damaged file is repaired after a preview", { path: "/sessions" }, async ({ ui, page, workspace }) => {
  await ui.connected();
  const whole = workspace.read(MAP);
  const truncated = whole.slice(0, whole.lastIndexOf("lastActivityAt"));
  workspace.write(MAP, truncated);
  await page.getByText("A repair would rewrite the file with the 3 readable entries").waitFor();
  assert.equal(workspace.read(MAP), truncated);
  await ui.button("Repair the file").click();
  await ui.toast.getByText("The session map was repaired.").waitFor();
  await page.getByText("A repair would").waitFor({ state: "detached" });
  assert.equal(await page.locator(".session").count(), 3);
  assert.match(await workspace.skein("session", "list"), /Answer Mira's review/);
});
