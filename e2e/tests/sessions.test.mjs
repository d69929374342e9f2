// Agent sessions: their status is set here and on the command line, and a damaged file is repaired after a look.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";

const MAP = "sessions/mattermost-threads.json";
const session = (page, text) => page.locator(".session", { hasText: text });
const group = (page, name) => page.locator(".session-group", { has: page.getByRole("heading", { name, exact: true }) });

scene("a status is set, and taken back", { path: "/sessions" }, async ({ desk, page, workspace }) => {
  const one = session(page, "Answer Mira's review");
  await one.getByText("Set status").click();
  await desk.button("Orphaned", one).click();
  await group(page, "Orphaned").getByText("Answer Mira's review").waitFor();
  assert.match(await workspace.skein("session", "list"), /orphaned.*Answer Mira's review/);
  await desk.button("Undo", desk.toast).click();
  await group(page, "Active").getByText("Answer Mira's review").waitFor();
});

scene("whoever ends a session is asked, because that is final", { path: "/sessions" }, async ({ desk, page, workspace }) => {
  const one = session(page, "Answer Mira's review");
  await one.locator("summary").focus();
  await page.keyboard.press("Enter");
  await desk.button("Ended", one).focus();
  await page.keyboard.press("Enter");
  await desk.dialog.getByText("cannot get another status").waitFor();
  await page.keyboard.press("Escape");
  assert.match(await workspace.skein("session", "list"), /active.*Answer Mira's review/);
  await one.locator("summary").click();
  await desk.button("Ended", one).click();
  await desk.button("End it", desk.dialog).click();
  await group(page, "Ended").getByText("Answer Mira's review").waitFor();
  assert.equal(await one.locator("summary").count(), 0);
});

scene("what the command line sets is on the page a moment later", { path: "/sessions" }, async ({ desk, page, workspace }) => {
  await desk.connected();
  await group(page, "Active").getByText("Answer Mira's review").waitFor();
  await workspace.skein("session", "set", "ses_1f0c", "status=disconnected", "title=Renamed in a terminal");
  await group(page, "Disconnected").getByText("Renamed in a terminal").waitFor();
});

scene("a damaged file is repaired after a look at what that does", { path: "/sessions" }, async ({ desk, page, workspace }) => {
  await desk.connected();
  const whole = workspace.read(MAP);
  const cut = whole.slice(0, whole.lastIndexOf("lastActivityAt"));
  workspace.write(MAP, cut);
  await page.getByText("A repair would rewrite the file with the 3 readable entries").waitFor();
  assert.equal(workspace.read(MAP), cut);
  await desk.button("Repair the file").click();
  await desk.toast.getByText("The session map was repaired.").waitFor();
  await page.getByText("A repair would").waitFor({ state: "detached" });
  assert.equal(await page.locator(".session").count(), 3);
  assert.match(await workspace.skein("session", "list"), /Answer Mira's review/);
});
