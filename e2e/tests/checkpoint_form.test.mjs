// Checkpoints and handoffs that are written on the page: nothing half-written is lost, errors stand beside their fields.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { Workspace } from "../lib/workspace.mjs";

const HANDOFF = "/work/new?kind=handoff";
const summary = (page) => page.getByLabel("What to know first");

scene("a half-written handoff survives a reload and is sent once", { path: HANDOFF }, async ({ desk, page, workspace, server }) => {
  await summary(page).fill("The parser is done; the docs are next.");
  await page.getByLabel(/^What is left to do/).fill("Write docs/parser.md\n\n Read it once more ");
  await page.getByLabel(/^Tags/).fill("docs, parser");
  await page.reload();
  assert.equal(await summary(page).inputValue(), "The parser is done; the docs are next.");
  assert.equal(await page.getByLabel(/^Tags/).inputValue(), "docs, parser");
  // The page of changes names it, so that it is not forgotten.
  await page.goto(server.origin);
  await page.locator("#unsent-texts").getByText("a handoff").click();
  await page.getByRole("link", { name: "Go to location" }).click();
  // What happens around it does not disturb it.
  await workspace.agent("checkpoint", "save", "-m", "Meanwhile");
  await summary(page).focus();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { level: 1, name: /^Handoff: The parser is done/ }).waitFor();
  await desk.toast.getByText("Handed over.").waitFor();
  assert.equal(await page.locator(".step").count(), 2);
  const brief = await workspace.skein("resume");
  assert.match(brief, /The parser is done; the docs are next\./);
  assert.match(brief, /Read it once more/);
  await page.goto(server.origin + HANDOFF);
  assert.equal(await summary(page).inputValue(), "");
});

scene("live changes leave the form alone", { path: HANDOFF }, async ({ desk, page, workspace }) => {
  await desk.connected();
  await summary(page).fill("half written");
  await page.getByText("More", { exact: true }).click();
  await workspace.agent("checkpoint", "save", "-m", "Meanwhile", "--step", "One more");
  await page.getByRole("link", { name: /^Steps 6/ }).waitFor();
  assert.equal(await summary(page).inputValue(), "half written");
  assert.ok(await page.getByLabel(/^Other files/).isVisible());
  assert.equal((await desk.writing()).localName, "summary");
});

scene("an error stands beside its field, and nothing is lost", { path: "/work/new?kind=checkpoint" }, async ({ desk, page, workspace, window }) => {
  window.faults.expect(/status of 400/);
  await desk.button("Save").click();
  await page.getByText("Enter a summary first.").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "summary");
  await page.getByLabel("What was done").fill("Done");
  await page.getByText("More", { exact: true }).click();
  await page.getByLabel(/^Short name/).fill("../up");
  await desk.button("Save").click();
  await page.locator("#slug-error").getByText("the slug cannot be part of a file's name").waitFor();
  assert.equal(await page.getByLabel(/^Short name/).getAttribute("aria-invalid"), "true");
  assert.equal(await page.evaluate(() => document.activeElement.id), "slug");
  await page.getByLabel(/^Short name/).fill("");
  await page.getByLabel("Skill").fill("review");
  await desk.button("Save").click();
  await page.locator("#worker-error").getByText("the worker has no id").waitFor();
  await page.getByLabel("Its id").fill("reader");
  await page.getByLabel("State").selectOption("verifying");
  await desk.button("Save").click();
  await page.getByRole("heading", { level: 1, name: "Done" }).waitFor();
  await page.locator(".worker-panel li[aria-current=step]", { hasText: "verifying" }).waitFor();
  assert.match(await workspace.skein("checkpoint", "list"), /Done/);
});

scene("cleared fields come back", { path: HANDOFF }, async ({ desk, page }) => {
  await summary(page).fill("Not for ever");
  await desk.button("Clear").click();
  assert.equal(await summary(page).inputValue(), "");
  await desk.button("Undo", desk.toast).click();
  assert.equal(await summary(page).inputValue(), "Not for ever");
});

scene("the first work in a workspace can be written on the page", { make: Workspace.plain, path: "/work" }, async ({ page, desk, workspace }) => {
  await page.getByText("No checkpoints yet.").waitFor();
  await page.getByRole("link", { name: "New checkpoint" }).click();
  await page.getByLabel("What was done").fill("<img src=x onerror=alert(1)> & **begun**");
  await page.getByLabel(/^Title/).fill("<script>alert(2)</script>");
  await page.getByLabel(/^What is left to do/).fill("<b>bold</b>");
  await desk.button("Save").click();
  await page.getByRole("heading", { level: 1, name: "<script>alert(2)</script>" }).waitFor();
  await desk.toast.getByText(/Created the store/).waitFor();
  await page.locator(".step .text").getByText("<b>bold</b>").waitFor();
  assert.match(await workspace.skein("steps"), /<b>bold<\/b>/);
});

scene("a server that only shows has nothing to send", { args: ["--read-only"], path: HANDOFF }, async ({ page, server }) => {
  assert.ok(await page.getByRole("button", { name: "Hand over" }).isDisabled());
  await page.goto(`${server.origin}/work/steps`);
  await page.locator(".step").first().waitFor();
  assert.equal(await page.locator("[data-act=step]").count(), 0);
});
