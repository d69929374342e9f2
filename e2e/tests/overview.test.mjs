// The overview: waiting threads and recent activity, updated live; repairs are previewed and then done.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { Workspace } from "../lib/workspace.mjs";

const group = (page, name) => page.locator(".group", { has: page.getByRole("heading", { name }) });

scene("waiting threads are shown, updated live, and opened with keys", { path: "/" }, async ({ page, ui, workspace }) => {
  await page.keyboard.press("g");
  await page.waitForURL(/\/overview$/);
  assert.equal(await group(page, "Waiting on you").locator(".line").count(), 4);
  assert.equal(await group(page, "Waiting on an agent").locator(".line").count(), 5);
  await group(page, "Handed over").getByText("HTTP is next").waitFor();
  await ui.connected();
  await workspace.agent("review", "reply", "e86b", "-m", "It shows a dash now.");
  await group(page, "Waiting on you").locator(".line").nth(4).waitFor();
  await group(page, "In the last 24 hours").locator(".line", { hasText: "just now" }).first().waitFor();
  await page.keyboard.press("j");
  const href = await page.locator(".line[data-my-cursor] > a").getAttribute("href");
  assert.match(href, /^\/(work|thread)\//);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/thread\//);
  await page.locator("section", { hasText: "Work that touched this file" }).locator(".line a").first().waitFor();
});

scene("a repair is shown before it is done", { path: null }, async ({ window, workspace }) => {
  const broken = "{}";
  workspace.write(".code-review/index.json", broken);
  const { page } = await window.open("/overview");
  const finding = page.locator(".finding", { hasText: ".code-review/index.json" });
  await finding.waitFor();
  await finding.getByRole("button", { name: "Repair…" }).click();
  await page.locator("dialog", { hasText: "Rebuild .code-review/index.json from the thread files." }).waitFor();
  assert.equal(workspace.read(".code-review/index.json"), broken, "nothing is repaired before the user confirms it");
  await page.keyboard.press("Enter");
  await page.locator(".toast", { hasText: "Wrote" }).waitFor();
  await finding.waitFor({ state: "detached" });
  assert.notEqual(workspace.read(".code-review/index.json"), broken);
  // A problem without a repair stays, with instructions.
  await page.locator(".finding", { hasText: "half-written.md" }).getByText("each alone on its line").waitFor();
});

scene("a file that breaks is reported without a reload", { path: "/overview" }, async ({ page, ui, workspace }) => {
  await page.locator(".finding", { hasText: "half-written.md" }).waitFor();
  await ui.connected();
  workspace.write(".code-review/threads/just-broken.md", "nothing of a thread\n");
  await page.locator(".finding", { hasText: "just-broken.md" }).waitFor({ timeout: 60_000 });
});

scene("a read-only page has no button to repair", { path: "/overview", args: ["--read-only"] }, async ({ page }) => {
  await page.locator(".finding").first().waitFor();
  assert.equal(await page.locator("[data-act=repair], [data-act=repair-all]").count(), 0);
});

const withWorktree = async () => {
  const workspace = await Workspace.demo();
  await workspace.git("worktree", "add", "--quiet", "-b", "fix/limits", "../lantern-fix");
  await workspace.skein("-C", "../lantern-fix", "review", "add", "src/cache.rs:3", "-m", "Why here?");
  return workspace;
};

scene("open threads of another worktree are listed, and a click opens that worktree", { make: withWorktree, path: "/overview" }, async ({ page, ui, window, workspace }) => {
  const others = group(page, "In other worktrees");
  await others.getByText("1 open thread in lantern-fix (fix/limits)").waitFor();
  await ui.connected();
  const id = "T-20260101-000000-limits";
  const record = { thread_id: id, version: 1, type: "handoff", created_at: "2026-01-01T00:00:00Z", conversation_summary: "Limits.", next_steps: ["Test a limit of 0"] };
  workspace.write(`../lantern-fix/workspace/threads/${id}.json`, JSON.stringify(record));
  await others.getByText("1 open thread and 1 checkpoint to resume in lantern-fix (fix/limits)").waitFor();
  // The page of another worktree has another origin, which would count as a fault.
  window.faults.expect(/request to another host: http:\/\/127\.0\.0\.1:\d+\//);
  await others.getByRole("button").click();
  await page.waitForURL(/\/overview$/);
  await page.locator("header .branch", { hasText: "fix/limits" }).waitFor();
  await group(page, "Waiting on an agent").getByText("Why here?").waitFor();
});
