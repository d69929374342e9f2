// The content and the links of lists and headings.
import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { overflows } from "../lib/overflows.mjs";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";
import { Workspace } from "../lib/workspace.mjs";

const FILE = "src/cache.rs";
const LONG = "packages/some-company-name/services/background-jobs/src/scheduling/retry_policy_for_failed_jobs.rs";

// Whether an element is completely visible within the element that clips it.
const isFullyVisible = (locator) =>
  locator.evaluate((element) => {
    const own = element.getBoundingClientRect();
    const clip = element.closest(".at").getBoundingClientRect();
    return element.scrollWidth <= element.clientWidth + 1 && own.left >= clip.left - 1 && own.right <= clip.right + 1;
  });

const deep = async () => {
  const workspace = await Workspace.plain({ [LONG]: "one\ntwo\nthree\n" });
  workspace.write(LONG, "one\ntwo!\nthree\n");
  await workspace.skein("review", "add", `${LONG}:2-3`, "-m", "Why here?");
  await workspace.skein("review", "add", `${LONG}:1`, "-m", `A_${"long_name_".repeat(20)}without_a_place_to_break.`);
  await workspace.agent("review", "next", "--claim");
  return workspace;
};

// A window of 1360 pixels that is magnified to 200 % has 680.
for (const width of [1360, 680, 390]) {
  scene(`long paths and titles fit, and paths are cut in the middle, in a window of ${width} pixels`, { make: deep, window: { viewport: { width, height: 800 } } }, async ({ page, server }) => {
    for (const path of ["/threads", "/overview"]) {
      await page.goto(server.origin + path);
      assert.deepEqual(await overflows(page), [], path);
      const at = page.locator(".line", { hasText: "Why here?" }).locator(".at").first();
      assert.equal((await at.textContent()).replace(/^review\s/, ""), `${LONG}:2-3`);
      assert.ok(await isFullyVisible(at.locator(".lines")), "the lines can be read");
      assert.ok(!(await isFullyVisible(at.locator(".dir"))), "the folders are cut");
    }
  });
}

scene("a fold in a style sheet shows the rule that contains it", { make: sheet }, async ({ ui }) => {
  const label = ui.file("a.css").locator("tr.fold span").first();
  assert.equal(await label.textContent(), ".panel > .title");
});

async function sheet() {
  const lines = (count, what) => Array.from({ length: count }, (_, at) => `  --${what}-${at}: 0;\n`).join("");
  const text = (last) => `body {\n  margin: 0;\n}\n.panel > .title {\n${lines(20, "a")}  color: ${last};\n}\n`;
  const workspace = await Workspace.plain({ "a.css": text("red") });
  workspace.write("a.css", text("blue"));
  return workspace;
}

scene("an open thread has no settled dot in any list", async ({ page, server, workspace }) => {
  const { threads } = await workspace.threads();
  const open = new Set(threads.filter(({ status }) => status === "open").map(({ id }) => id));
  const one = threads.find(({ id }) => id.startsWith("7f3a"));
  for (const path of ["/threads?status=all", "/overview", `/thread/${one.id}`, "/work"]) {
    await page.goto(server.origin + path);
    const dots = await page.locator("a:has(> .dot)").evaluateAll((links) => links.map((link) => [link.getAttribute("href"), link.querySelector(".dot").className]));
    for (const [href, dot] of dots.filter(([href]) => open.has(href.replace("/thread/", "")))) assert.match(dot, /dot (reviewer|agent)/, `${path}: ${href}`);
  }
});

scene("a part of a path and Enter open the file", async ({ ui, page }) => {
  await page.keyboard.press("f");
  await page.keyboard.type("READ");
  await page.locator("#paths a", { hasText: "README.md" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/file\/README\.md$/);
  await ui.file("README.md").waitFor();
});

scene("a missing path links to similar paths", { path: null }, async ({ window, server }) => {
  window.faults.expect(/status of 404/);
  const { page } = await window.open("/");
  await page.goto(`${server.origin}/file/READ`);
  await page.getByRole("link", { name: "README.md" }).click();
  await page.waitForURL(/\/file\/README\.md$/);
});

scene("a thread is opened by the id that the command line prints", async ({ page, server, workspace, ui }) => {
  const short = (await workspace.skein("review", "list")).match(/^\s*([0-9a-f]{3,})\b/m)[1];
  await page.goto(`${server.origin}/thread/${short}`);
  await page.waitForURL(/\/thread\/[0-9a-f-]{36}$/);
  assert.equal(await ui.thread(short).count(), 1);
});

scene("a file that becomes executable appears without a reload", async ({ ui, workspace }) => {
  assert.equal(await ui.file("README.md").count(), 0);
  chmodSync(workspace.path("README.md"), 0o755);
  await ui.file("README.md").waitFor();
  chmodSync(workspace.path("README.md"), 0o644);
  await ui.file("README.md").waitFor({ state: "detached" });
});

scene("the page of a handoff has the message", { path: "/overview" }, async ({ page, workspace }) => {
  const path = workspace.path("workspace/threads/handoff.json");
  const { message } = JSON.parse(readFileSync(path, "utf8"));
  await page.locator(".line.checkpoint a", { hasText: "Handoff" }).first().click();
  await page.locator(".handoff-message", { hasText: message }).waitFor();
  // A changed message is shown without a reload.
  writeFileSync(path, readFileSync(path, "utf8").replace(message, "Look at the board first."));
  await page.locator(".handoff-message", { hasText: "Look at the board first." }).waitFor();
});

scene("search results show text without markup", { path: "/search?q=unwrap" }, async ({ page, server, workspace }) => {
  const hit = page.locator(".hit.review").first();
  await hit.waitFor();
  const shown = await hit.textContent();
  assert.match(shown, /unwrap on an empty cache/);
  assert.doesNotMatch(shown, /`/);
  const id = "T-20260101-000000-told";
  const record = { thread_id: id, version: 1, type: "handoff", created_at: "2026-01-01T00:00:00Z", conversation_summary: "Told.", metadata: { title: "Told", previous_handoff: { message: "zanzibar is next", last_thread: "T-1" } } };
  workspace.write(`workspace/threads/${id}.json`, JSON.stringify(record));
  await until(async () => {
    await page.goto(`${server.origin}/search?q=zanzibar`);
    return (await page.locator(".hit.checkpoint").count()) === 1;
  }, "the handoff is found");
  const text = await page.locator(".hit.checkpoint").textContent();
  assert.match(text, /zanzibar is next/);
  assert.doesNotMatch(text, /[{}"]/);
});

scene("thread counts are the same on every page", async ({ ui, page, server }) => {
  await ui.number(FILE, 30).click();
  await page.keyboard.type("A draft.");
  await ui.button("Add to review").click();
  await ui.thread("A draft.").waitFor();
  await page.goto(`${server.origin}/threads`);
  const counts = Object.fromEntries(await page.locator(".switch a").evaluateAll((links) => links.map((link) => [link.firstChild.data.trim(), Number(link.querySelector(".count").textContent)])));
  assert.equal(counts.Open, counts["Waiting on you"] + counts["Waiting on an agent"]);
  assert.equal(counts.All, counts.Open + counts.Drafts + counts.Resolved);
  assert.equal(counts.Drafts, 1);
  assert.equal(Number(await page.locator("nav .count").textContent()), counts["Waiting on you"]);
  await page.goto(`${server.origin}/overview`);
  assert.match(await page.locator(".bar .quiet").first().textContent(), new RegExp(`^${counts.Open} open threads, ${counts.Resolved} resolved`));
  await page.goto(server.origin);
  const inTree = await page.locator("#tree .count:not(.draft)").evaluateAll((all) => all.reduce((sum, one) => sum + Number(one.textContent), 0));
  const elsewhere = await page.locator("#others .line, #lost .thread").count();
  assert.equal(inTree + elsewhere, counts.Open);
  assert.equal(Number(await page.locator("#tree .count.draft").textContent()), counts.Drafts);
});

scene("a thread that waits on the reviewer shows the answer", { path: "/threads?waiting=reviewer" }, async ({ page, workspace }) => {
  await workspace.agent("review", "reply", "7f3a", "-m", "The answer of the agent.");
  const line = page.locator(".line", { hasText: "src/cache.rs:19" });
  await line.getByText("The answer of the agent.").waitFor();
});

const onFeature = async () => {
  const workspace = await Workspace.plain();
  await workspace.git("switch", "--quiet", "--create", "feature/retry-budget");
  workspace.write("retry.rs", "fn budget() -> u32 {\n    3\n}\n");
  await workspace.commit("retry");
  await workspace.skein("review", "add", "retry.rs:2", "-m", "Why three?");
  return workspace;
};

scene("a thread names the branch that its code is on while another one is checked out", { make: onFeature, path: "/threads" }, async ({ page, workspace, server }) => {
  const line = page.locator(".line", { hasText: "Why three?" });
  await line.waitFor();
  assert.equal(await line.locator(".tag.state").count(), 0);
  await workspace.git("switch", "--quiet", "main");
  await line.getByText("on feature/retry-budget", { exact: true }).waitFor();
  await line.locator("a").click();
  const thread = page.locator(".thread", { hasText: "Why three?" });
  await thread.locator(".note", { hasText: "the thread was started on the branch feature/retry-budget" }).waitFor();
  assert.doesNotMatch(await thread.textContent(), /code is gone/);
  await workspace.git("switch", "--quiet", "feature/retry-budget");
  await thread.locator(".tag.state").waitFor({ state: "detached" });
  await page.goto(`${server.origin}/threads`);
  assert.equal(await line.locator(".tag.state").count(), 0);
});
