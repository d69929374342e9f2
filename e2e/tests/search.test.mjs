// Search: over any page and on its own, while one types, with answers that come late and in the wrong order.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const keys = async (page, ...all) => {
  for (const key of all) await page.keyboard.press(key);
};

const titles = (page) => page.locator(".hits .title").allTextContents();
const sumUp = (page, text) => page.locator(".result-summary", { hasText: text }).waitFor();
const marked = (page) => page.locator(".hit[data-my-cursor] .title").textContent();

scene("from any page to a thread and back, by keys alone", async ({ page, desk }) => {
  await keys(page, "j", "j", "/");
  await page.locator("dialog .completions").waitFor();
  await page.keyboard.type("limit");
  await sumUp(page, "4 threads");
  const all = await titles(page);
  assert.equal(await marked(page), all[0]);
  assert.ok((await page.locator(".hit mark").count()) >= 4, "what matches is marked");
  const kinds = page.locator("dialog .hits h2");
  assert.deepEqual(await kinds.allTextContents(), ["Review threads only these", "Checkpoints only these"]);
  await keys(page, "ArrowDown");
  assert.equal(await marked(page), all[1]);
  await keys(page, "j", "k", "k");
  assert.equal(await marked(page), all[0]);
  await keys(page, "ArrowUp");
  assert.equal(await page.evaluate(() => document.activeElement.type), "search");
  await keys(page, "Escape");
  await desk.dialog.waitFor({ state: "detached" });
  assert.equal(new URL(page.url()).pathname, "/");
  // What was asked for is there again.
  await keys(page, "Control+k");
  await sumUp(page, "4 threads");
  await keys(page, "ArrowDown", "Enter");
  await page.waitForURL(/\/thread\//);
  await page.locator(".thread .md", { hasText: "one entry too many" }).waitFor();
});

scene("the best one is opened by Enter, even before it is shown", { path: "/threads" }, async ({ page }) => {
  await page.route("**/fragment/search**", async (route) => {
    await new Promise((done) => setTimeout(done, 300));
    await route.continue();
  });
  await keys(page, "/");
  await page.keyboard.type("too many in");
  await keys(page, "Enter");
  await page.waitForURL(/\/thread\/7f3a/);
});

scene("one kind alone is a click away", { path: "/search?q=limit" }, async ({ page }) => {
  await sumUp(page, "4 threads");
  await page.locator(".hits h2", { hasText: "Checkpoints" }).getByText("only these").click();
  await sumUp(page, "2 threads");
  assert.equal(await page.locator("input[type=search]").inputValue(), "kind:checkpoint limit");
  assert.equal(await page.locator(".hits h2").count(), 0);
});

scene("of answers that come in the wrong order the last question counts", { path: "/search" }, async ({ page }) => {
  // The shorter the question, the later its answer.
  const answered = [];
  await page.route("**/fragment/search**", async (route) => {
    const q = new URL(route.request().url()).searchParams.get("q");
    await new Promise((done) => setTimeout(done, 700 - q.length * 100));
    answered.push(q);
    await route.continue().catch(() => {});
  });
  await page.locator("#q").focus();
  await page.keyboard.type("limit", { delay: 30 });
  await sumUp(page, "4 threads");
  await until(() => answered.includes("l"), "the first answer comes last");
  await page.waitForTimeout(200);
  await sumUp(page, "4 threads");
  assert.equal(await page.locator("#q").inputValue(), "limit");
  assert.equal(new URL(page.url()).search, "?q=limit");
  assert.equal(await page.title(), "limit · lantern");
});

scene("questions that nobody waits for any more are taken back", { path: "/search" }, async ({ page }) => {
  const gone = [];
  page.on("requestfailed", (request) => gone.push(new URL(request.url()).searchParams.get("q")));
  let held = [];
  await page.route("**/fragment/search**", (route) => held.push(route));
  await page.locator("#q").focus();
  await page.keyboard.type("lim");
  await until(() => held.length === 3, "each key asks");
  await until(() => gone.length === 2, "the first two are taken back");
  assert.deepEqual(gone.sort(), ["l", "li"]);
  await held[2].continue();
  await sumUp(page, "4 threads");
});

scene("filters are completed, and what is wrong is shown in the query", { path: "/search" }, async ({ page }) => {
  await page.locator("#q").focus();
  await page.keyboard.type("limit ki");
  await page.locator(".completions code", { hasText: "kind:" }).waitFor();
  await keys(page, "Tab");
  await page.locator(".completions code", { hasText: "kind:checkpoint" }).waitFor();
  assert.equal(await page.locator("#q").inputValue(), "limit kind:");
  // It is no mistake yet, and what is in front of it is found.
  await sumUp(page, "4 threads");
  await page.keyboard.type("ch");
  await page.locator(".completions li").nth(1).waitFor({ state: "detached" });
  await keys(page, "Tab");
  await sumUp(page, "2 threads");
  assert.equal(await page.locator("#q").inputValue(), "limit kind:checkpoint ");
  await page.locator("#q").fill("limit kind:checkpoint stauts:open ");
  await page.locator(".query-error mark", { hasText: "stauts:open" }).waitFor();
  await page.locator(".query-error", { hasText: "Did you mean status:?" }).waitFor();
  // What was found before is still there, but not to be opened.
  assert.equal(await page.locator(".hits.stale .hit").count(), 2);
  await page.locator("#q").fill("limit -kind:checkpoint");
  await sumUp(page, "2 threads");
  assert.equal(await page.locator(".query-error").count(), 0);
});

scene("it works without a script", { path: null, window: { javaScriptEnabled: false } }, async ({ window }) => {
  const { page } = await window.open("/");
  await page.getByRole("link", { name: "Search" }).click();
  await page.locator("#q").fill("limit kind:checkpoint");
  await keys(page, "Enter");
  await page.waitForURL(/q=limit\+kind%3Acheckpoint/);
  assert.equal(await page.locator(".hit").count(), 2);
  await page.getByLabel("In all workspaces").check();
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForURL(/everywhere=1/);
  assert.equal(await page.locator(".hit").count(), 2);
  assert.match(await page.locator(".hit a").first().getAttribute("href"), /^\/work\/T-/);
});

scene("what is written meanwhile is found", { path: "/search?q=zebra" }, async ({ page, desk, workspace }) => {
  await page.locator(".result-summary", { hasText: "No matches here." }).waitFor();
  await desk.connected();
  await workspace.agent("review", "add", "src/cache.rs:5", "-m", "A zebra crossing.");
  await page.locator(".hit .title", { hasText: "A zebra crossing." }).waitFor();
  assert.equal(await page.locator(".hit .at").textContent(), "src/cache.rs:5");
});

scene("half-written text under the search is kept", async ({ page, desk }) => {
  await desk.number("src/cache.rs", 30).click();
  await page.keyboard.type("Half of a");
  await keys(page, "Control+k");
  await page.keyboard.type("limit");
  await sumUp(page, "4 threads");
  await keys(page, "Escape");
  assert.equal(await desk.area.inputValue(), "Half of a");
  assert.equal((await desk.writing()).localName, "textarea");
});

scene("a draft is found, marked as one, and leads to where it can be discarded", async ({ desk, page }) => {
  await desk.number("src/cache.rs", 30).click();
  await page.keyboard.type("Rename the gizmo.");
  await desk.button("Add to review").click();
  await desk.thread("Rename the gizmo.").waitFor();
  await keys(page, "/");
  await page.keyboard.type("gizmo");
  const hit = page.locator("dialog .hit", { hasText: "Rename the gizmo." });
  await hit.locator(".tag.draft", { hasText: "draft" }).waitFor();
  await keys(page, "Enter");
  await page.waitForURL(/\/thread\//);
  const thread = desk.thread("Rename the gizmo.");
  await thread.getByText("Only you see it until the review is submitted.").waitFor();
  await desk.button("Discard", thread).waitFor();
});
