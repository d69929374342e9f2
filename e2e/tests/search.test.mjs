// Search: as a dialog on any page and as its own page, while the user types, with responses that are late or out of order.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { frames, gate, until } from "../lib/until.mjs";

const keys = async (page, ...all) => {
  for (const key of all) await page.keyboard.press(key);
};

const titles = (page) => page.locator(".hits .title").allTextContents();
const waitForSummary = (page, text) => page.locator(".result-summary", { hasText: text }).waitFor();
const titleUnderCursor = (page) => page.locator(".hit[data-my-cursor] .title").textContent();

scene("a thread is found and opened from any page with keys only", async ({ page, ui }) => {
  await keys(page, "j", "j", "/");
  await page.locator("dialog .completions").waitFor();
  await page.keyboard.type("limit");
  await waitForSummary(page, "4 threads");
  const all = await titles(page);
  assert.equal(await titleUnderCursor(page), all[0]);
  assert.ok((await page.locator(".hit mark").count()) >= 4, "what matches is marked");
  const kinds = page.locator("dialog .hits h2");
  assert.deepEqual(await kinds.allTextContents(), ["Review threads only these", "Checkpoints only these"]);
  await keys(page, "ArrowDown");
  assert.equal(await titleUnderCursor(page), all[1]);
  await keys(page, "j", "k", "k");
  assert.equal(await titleUnderCursor(page), all[0]);
  await keys(page, "ArrowUp");
  assert.equal(await page.evaluate(() => document.activeElement.type), "search");
  await keys(page, "Escape");
  await ui.dialog.waitFor({ state: "detached" });
  assert.equal(new URL(page.url()).pathname, "/");
  // The last query is restored.
  await keys(page, "Control+k");
  await waitForSummary(page, "4 threads");
  await keys(page, "ArrowDown", "Enter");
  await page.waitForURL(/\/thread\//);
  await page.locator(".thread .md", { hasText: "one entry too many" }).waitFor();
});

scene("Enter opens the best hit, even before it is shown", { path: "/threads" }, async ({ page }) => {
  const pressed = gate();
  await page.route("**/fragment/search**", (route) => pressed.opened.then(() => route.continue()));
  await keys(page, "/");
  await page.keyboard.type("too many in");
  await keys(page, "Enter");
  pressed.open();
  await page.waitForURL(/\/thread\/7f3a/);
});

scene("a click limits the results to one kind", { path: "/search?q=limit" }, async ({ page }) => {
  await waitForSummary(page, "4 threads");
  await page.locator(".hits h2", { hasText: "Checkpoints" }).getByText("only these").click();
  await waitForSummary(page, "2 threads");
  assert.equal(await page.locator("input[type=search]").inputValue(), "kind:checkpoint limit");
  assert.equal(await page.locator(".hits h2").count(), 0);
});

scene("responses that arrive out of order do not replace the results of the last query", { path: "/search" }, async ({ page }) => {
  // All others wait for the last response.
  const shown = gate();
  const late = [];
  await page.route("**/fragment/search**", (route) => {
    if (new URL(route.request().url()).searchParams.get("q") === "limit") return route.continue();
    late.push(shown.opened.then(() => route.continue()).catch(() => {}));
    return late.at(-1);
  });
  await page.locator("#q").focus();
  for (const [at, letter] of [..."limit"].entries()) {
    await page.keyboard.type(letter);
    if (at < 4) await until(() => late.length > at, "each letter is a request");
  }
  await waitForSummary(page, "4 threads");
  shown.open();
  await Promise.all(late);
  await frames(page);
  await waitForSummary(page, "4 threads");
  assert.equal(await page.locator("#q").inputValue(), "limit");
  assert.equal(new URL(page.url()).search, "?q=limit");
  assert.equal(await page.title(), "limit · lantern");
});

scene("outdated requests are aborted", { path: "/search" }, async ({ page }) => {
  const aborted = [];
  page.on("requestfailed", (request) => aborted.push(new URL(request.url()).searchParams.get("q")));
  let pending = [];
  await page.route("**/fragment/search**", (route) => pending.push(route));
  await page.locator("#q").focus();
  await page.keyboard.type("lim");
  await until(() => pending.length === 3, "each key sends a request");
  await until(() => aborted.length === 2, "the first two are aborted");
  assert.deepEqual(aborted.sort(), ["l", "li"]);
  await pending[2].continue();
  await waitForSummary(page, "4 threads");
});

scene("filters are completed, and errors are marked in the query", { path: "/search" }, async ({ page }) => {
  await page.locator("#q").focus();
  await page.keyboard.type("limit ki");
  await page.locator(".completions code", { hasText: "kind:" }).waitFor();
  await keys(page, "Tab");
  await page.locator(".completions code", { hasText: "kind:checkpoint" }).waitFor();
  assert.equal(await page.locator("#q").inputValue(), "limit kind:");
  // An unfinished filter is not an error yet, and the words before it are searched.
  await waitForSummary(page, "4 threads");
  await page.keyboard.type("ch");
  await page.locator(".completions li").nth(1).waitFor({ state: "detached" });
  await keys(page, "Tab");
  await waitForSummary(page, "2 threads");
  assert.equal(await page.locator("#q").inputValue(), "limit kind:checkpoint ");
  await page.locator("#q").fill("limit kind:checkpoint stauts:open ");
  await page.locator(".query-error mark", { hasText: "stauts:open" }).waitFor();
  await page.locator(".query-error", { hasText: "Did you mean status:?" }).waitFor();
  // The previous results are still shown, marked as outdated.
  assert.equal(await page.locator(".hits.stale .hit").count(), 2);
  await page.locator("#q").fill("limit -kind:checkpoint");
  await waitForSummary(page, "2 threads");
  assert.equal(await page.locator(".query-error").count(), 0);
});

scene("search works without JavaScript", { path: null, window: { javaScriptEnabled: false } }, async ({ window }) => {
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

scene("a thread that is added later is found without a reload", { path: "/search?q=zebra" }, async ({ page, ui, workspace }) => {
  await page.locator(".result-summary", { hasText: "No matches here." }).waitFor();
  await ui.connected();
  await workspace.agent("review", "add", "src/cache.rs:5", "-m", "A zebra crossing.");
  await page.locator(".hit .title", { hasText: "A zebra crossing." }).waitFor();
  assert.equal(await page.locator(".hit .at").textContent(), "src/cache.rs:5");
});

scene("half-written text behind the search dialog is kept", async ({ page, ui }) => {
  await ui.number("src/cache.rs", 30).click();
  await page.keyboard.type("Half of a");
  await keys(page, "Control+k");
  await page.keyboard.type("limit");
  await waitForSummary(page, "4 threads");
  await keys(page, "Escape");
  assert.equal(await ui.area.inputValue(), "Half of a");
  assert.equal((await ui.writing()).localName, "textarea");
});

scene("a draft is found, is marked as a draft, and links to the page where it can be discarded", async ({ ui, page }) => {
  await ui.number("src/cache.rs", 30).click();
  await page.keyboard.type("Rename the gizmo.");
  await ui.button("Add to review").click();
  await ui.thread("Rename the gizmo.").waitFor();
  await keys(page, "/");
  await page.keyboard.type("gizmo");
  const hit = page.locator("dialog .hit", { hasText: "Rename the gizmo." });
  await hit.locator(".tag.draft", { hasText: "draft" }).waitFor();
  await keys(page, "Enter");
  await page.waitForURL(/\/thread\//);
  const thread = ui.thread("Rename the gizmo.");
  await thread.getByText("Only you see it until the review is submitted.").waitFor();
  await ui.button("Discard", thread).waitFor();
});
