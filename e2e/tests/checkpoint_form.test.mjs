// The forms for checkpoints and handoffs: half-written text is kept, and errors are shown next to their fields.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { Workspace } from "../lib/workspace.mjs";

const HANDOFF = "/work/new?kind=handoff";
const summary = (page) => page.getByLabel("What to know first");

scene("a half-written handoff survives a reload and is sent once", { path: HANDOFF }, async ({ ui, page, workspace, server }) => {
  await summary(page).fill("The parser is done; the docs are next.");
  await page.getByLabel(/^What is left to do/).fill("Write docs/parser.md\n\n Read it once more ");
  await page.getByLabel(/^Tags/).fill("docs, parser");
  await page.reload();
  assert.equal(await summary(page).inputValue(), "The parser is done; the docs are next.");
  assert.equal(await page.getByLabel(/^Tags/).inputValue(), "docs, parser");
  // The page of changes lists the unsent text.
  await page.goto(server.origin);
  await page.locator("#unsent-texts").getByText("a handoff").click();
  await page.getByRole("link", { name: "Go to location" }).click();
  // A checkpoint of an agent does not change the form.
  await workspace.agent("checkpoint", "save", "-m", "Meanwhile");
  await summary(page).focus();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { level: 1, name: /^Handoff: The parser is done/ }).waitFor();
  await ui.toast.getByText("Handed over.").waitFor();
  assert.equal(await page.locator(".step").count(), 2);
  const brief = await workspace.skein("resume");
  assert.match(brief, /The parser is done; the docs are next\./);
  assert.match(brief, /Read it once more/);
  await page.goto(server.origin + HANDOFF);
  assert.equal(await summary(page).inputValue(), "");
});

scene("live updates do not change the form", { path: HANDOFF }, async ({ ui, page, workspace }) => {
  await ui.connected();
  await summary(page).fill("half written");
  await page.getByText("More", { exact: true }).click();
  await workspace.agent("checkpoint", "save", "-m", "Meanwhile", "--step", "One more");
  await page.getByRole("link", { name: /^Steps 6/ }).waitFor();
  assert.equal(await summary(page).inputValue(), "half written");
  assert.ok(await page.getByLabel(/^Other files/).isVisible());
  assert.equal((await ui.writing()).localName, "summary");
});

scene("an error is shown next to its field, and no text is lost", { path: "/work/new?kind=checkpoint" }, async ({ ui, page, workspace, window }) => {
  window.faults.expect(/status of 400/);
  await ui.button("Save").click();
  await page.getByText("Enter a summary first.").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "summary");
  await page.getByLabel("What was done").fill("Done");
  await page.getByText("More", { exact: true }).click();
  await page.getByLabel(/^Short name/).fill("../up");
  await ui.button("Save").click();
  await page.locator("#slug-error").getByText("the slug cannot be part of a file's name").waitFor();
  assert.equal(await page.getByLabel(/^Short name/).getAttribute("aria-invalid"), "true");
  assert.equal(await page.evaluate(() => document.activeElement.id), "slug");
  await page.getByLabel(/^Short name/).fill("");
  await page.getByLabel("Skill").fill("review");
  await ui.button("Save").click();
  await page.locator("#worker-error").getByText("the worker has no id").waitFor();
  await page.getByLabel("Its id").fill("reader");
  await page.getByLabel("State").selectOption("verifying");
  await ui.button("Save").click();
  await page.getByRole("heading", { level: 1, name: "Done" }).waitFor();
  await page.locator(".worker-panel li[aria-current=step]", { hasText: "verifying" }).waitFor();
  assert.match(await workspace.skein("checkpoint", "list"), /Done/);
});

scene("Undo restores cleared fields", { path: HANDOFF }, async ({ ui, page }) => {
  await summary(page).fill("Not for ever");
  await ui.button("Clear").click();
  assert.equal(await summary(page).inputValue(), "");
  await ui.button("Undo", ui.toast).click();
  assert.equal(await summary(page).inputValue(), "Not for ever");
});

scene("the first checkpoint of a workspace can be written on the page", { make: Workspace.plain, path: "/work" }, async ({ page, ui, workspace }) => {
  await page.getByText("No checkpoints yet.").waitFor();
  await page.getByRole("link", { name: "New checkpoint" }).click();
  await page.getByLabel("What was done").fill("<img src=x onerror=alert(1)> & **begun**");
  await page.getByLabel(/^Title/).fill("<script>alert(2)</script>");
  await page.getByLabel(/^What is left to do/).fill("<b>bold</b>");
  await ui.button("Save").click();
  await page.getByRole("heading", { level: 1, name: "<script>alert(2)</script>" }).waitFor();
  await ui.toast.getByText(/Created the store/).waitFor();
  await page.locator(".step .text").getByText("<b>bold</b>").waitFor();
  assert.match(await workspace.skein("steps"), /<b>bold<\/b>/);
});

scene("a read-only server disables the form", { args: ["--read-only"], path: HANDOFF }, async ({ page, server }) => {
  assert.ok(await page.getByRole("button", { name: "Hand over" }).isDisabled());
  await page.goto(`${server.origin}/work/steps`);
  await page.locator(".step").first().waitFor();
  assert.equal(await page.locator("[data-act=step]").count(), 0);
});
