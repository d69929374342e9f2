// Switching to another workspace with the mouse, with keys, and from search results.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scene } from "../lib/scene.mjs";
import { Workspace } from "../lib/workspace.mjs";

// The demo, another workspace of the same user, and one that was deleted.
async function several() {
  const workspace = await Workspace.demo();
  const dir = workspace.dir;
  for (const name of ["harbour", "sunk"]) {
    workspace.dir = join(workspace.base, name);
    mkdirSync(workspace.dir);
    await workspace.git("init", "--quiet", "--initial-branch=tide");
    writeFileSync(join(workspace.dir, "quay.txt"), "one\ntwo\n");
    await workspace.commit("start");
    await workspace.skein("review", "add", "quay.txt:2", "-m", `A heron at the ${name}.`);
  }
  rmSync(workspace.dir, { recursive: true });
  workspace.dir = dir;
  await workspace.skein("list");
  return workspace;
}

// The page of another workspace has another origin, which would count as a fault.
const allowOtherOrigins = (window) => window.faults.expect(/request to another host: http:\/\/127\.0\.0\.1:\d+\//);

scene("the menu in the header switches to another workspace and back", { make: several }, async ({ page, ui, window, server }) => {
  allowOtherOrigins(window);
  await page.locator("header a.where").click();
  await ui.dialog.locator(".workspace-line", { hasText: "lantern" }).getByText("here").waitFor();
  await ui.dialog.locator(".workspace-line.lost", { hasText: "sunk" }).getByText("gone").waitFor();
  await ui.dialog.locator("button.to", { hasText: "harbour" }).click();
  await page.waitForURL((url) => url.origin !== server.origin && url.pathname === "/overview");
  assert.equal(new URL(page.url()).search, "", "the secret is removed from the address");
  await page.locator("header .where b", { hasText: "harbour" }).waitFor();
  await page.locator(".line-title", { hasText: "A heron at the harbour." }).first().waitFor();
  await page.keyboard.press("G");
  await ui.dialog.locator("button.to", { hasText: "lantern" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.origin === server.origin);
  await page.locator("header .where b", { hasText: "lantern" }).waitFor();
});

scene("a hit in another workspace opens there", { make: several, path: "/threads" }, async ({ page, window, server, ui }) => {
  allowOtherOrigins(window);
  await page.keyboard.press("/");
  await page.keyboard.type("heron");
  await page.locator(".result-summary", { hasText: "No matches here." }).waitFor();
  await ui.dialog.getByLabel("In all workspaces").check();
  const hit = ui.dialog.locator(".hit", { hasText: "A heron at the harbour." });
  await hit.locator(".tag", { hasText: "harbour" }).waitFor();
  await ui.dialog.locator("input[type=search]").focus();
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.origin !== server.origin && url.pathname.startsWith("/thread/"));
  await page.locator(".thread .md", { hasText: "A heron at the harbour." }).waitFor();
});

scene("without JavaScript the list says which command to run", { make: several, path: null, window: { javaScriptEnabled: false } }, async ({ window }) => {
  const { page } = await window.open("/");
  await page.locator("header a.where").click();
  await page.waitForURL(/\/workspaces$/);
  await page.locator(".workspace-line", { hasText: "harbour" }).getByText("1 review").waitFor();
  await page.getByText("skein -C ROOT serve").waitFor();
});
