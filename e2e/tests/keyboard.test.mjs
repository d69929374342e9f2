// Keyboard control.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const FILE = "src/cache.rs";

const keys = async (page, ...all) => {
  for (const key of all) await page.keyboard.press(key);
};

// The line that the cursor is on.
const cursor = (page) =>
  page.evaluate(() => {
    const row = document.querySelector("tr[data-my-cursor]");
    return row && `${row.closest(".file").dataset.path}:${row.querySelector("td.n.r").dataset.n ?? "-"}`;
  });

const threadUnderCursor = (page) => page.evaluate(() => document.querySelector(".thread[data-my-cursor]")?.dataset.thread.slice(0, 4));

async function moveCursorTo(page, to) {
  for (let steps = 0; (await cursor(page)) !== to; steps += 1) {
    assert.ok(steps < 100, `the cursor never comes to ${to}`);
    await page.keyboard.press("j");
  }
}

scene("a thread is started, answered and resolved with keys only", async ({ ui, page, workspace }) => {
  await moveCursorTo(page, `${FILE}:26`);
  await keys(page, "J", "J", "c");
  await ui.composer.getByText(`${FILE}:26-28`).waitFor();
  await page.keyboard.type("Is this fast enough?");
  await keys(page, "Control+Enter");
  const thread = ui.thread("Is this fast enough?");
  await thread.waitFor();
  await ui.composer.waitFor({ state: "detached" });
  const id = await ui.idOf(thread);
  await workspace.agent("review", "reply", id, "-m", "It is: there are few entries.");
  await thread.locator(".comment", { hasText: "there are few entries" }).waitFor();
  // The cursor is on the thread that was just written.
  await keys(page, "r");
  await page.keyboard.type("Fine.");
  await keys(page, "Control+Enter");
  await thread.locator(".comment", { hasText: "Fine." }).waitFor();
  await ui.composer.waitFor({ state: "detached" });
  await keys(page, "x");
  await until(async () => (await thread.getAttribute("data-status")) === "resolved", "the thread is resolved");
  assert.match(await workspace.skein("review", "show", id), /^src\/cache\.rs:26-28 {2}resolved/);
});

scene("n and p go from thread to thread, j and k from line to line", async ({ page }) => {
  const order = await page.locator(".thread").evaluateAll((all) => all.map((one) => one.dataset.thread.slice(0, 4)));
  await keys(page, "n");
  const first = order.indexOf(await threadUnderCursor(page));
  assert.ok(first >= 0, "a thread is chosen");
  await keys(page, "n");
  assert.equal(await threadUnderCursor(page), order[(first + 1) % order.length]);
  await keys(page, "p");
  assert.equal(await threadUnderCursor(page), order[first]);
  await keys(page, "Escape", "j");
  const start = await cursor(page);
  await keys(page, "j", "j", "k", "k");
  assert.equal(await cursor(page), start);
});

scene("keys move between files, fold them and mark them as viewed", async ({ ui, page }) => {
  const paths = await page.locator("section.file").evaluateAll((files) => files.map((file) => file.dataset.path));
  assert.ok(paths.length > 1, "the demo has more than one changed file");
  await keys(page, "]");
  await until(async () => {
    const top = await ui.top(ui.file(paths[1]));
    return top < 120 || page.evaluate(() => window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 1);
  }, "the second file is at the top");
  await keys(page, "[", "j", "o");
  await ui.file(paths[0]).locator(".file-body").waitFor({ state: "hidden" });
  await keys(page, "o");
  await ui.file(paths[0]).locator(".file-body").waitFor({ state: "visible" });
  await keys(page, "v");
  await ui.file(paths[0]).locator(".file-body").waitFor({ state: "hidden" });
  assert.ok(await ui.file(paths[0]).getByLabel("Viewed").isChecked());
});

scene("comments on a line and on a file are drafted and submitted", async ({ ui, page, workspace }) => {
  await moveCursorTo(page, `${FILE}:30`);
  await keys(page, "c");
  await page.keyboard.type("On a line.");
  await keys(page, "Control+Shift+Enter");
  await ui.thread("On a line.").waitFor();
  await ui.composer.waitFor({ state: "detached" });
  await keys(page, "Escape", "C");
  await page.keyboard.type("On a file.");
  await keys(page, "Control+Enter");
  await ui.thread("On a file.").waitFor();
  await ui.composer.waitFor({ state: "detached" });
  await keys(page, "Escape", "s");
  await ui.toast.getByText("Submitted 2 comments.").waitFor();
  assert.match(await workspace.skein("review", "list"), /On a (line|file)\.[^]*On a (line|file)\./);
});

scene("a thread is edited, copied, deleted and restored", async ({ ui, page }) => {
  const thread = ui.thread("7f3a");
  for (let steps = 0; (await threadUnderCursor(page)) !== "7f3a"; steps += 1) {
    assert.ok(steps < 20, "the thread is never chosen");
    await keys(page, "n");
  }
  await keys(page, "e", "Control+A");
  await page.keyboard.type("Edited by keys.");
  await keys(page, "Control+Enter");
  await thread.locator(".comment", { hasText: "Edited by keys." }).waitFor();
  await ui.composer.waitFor({ state: "detached" });
  await keys(page, "y");
  await ui.toast.getByText("Copied a prompt for this thread.").waitFor();
  assert.match(await ui.clipboard(), /Edited by keys\./);
  await keys(page, "d");
  await thread.waitFor({ state: "detached" });
  await ui.toast.getByText("Deleted.").waitFor();
  await keys(page, "z");
  await thread.waitFor();
});

scene("a suggestion is applied by keys", { path: "/thread/" }, async ({ ui, page, workspace, server, window }) => {
  window.faults.expect(/status of 404/);
  const [{ id }] = JSON.parse(await workspace.skein("review", "list", "--json", "file:src/http.rs", "author:mira")).threads
    .filter((thread) => thread.id.startsWith("0c9e"));
  await page.goto(`${server.origin}/thread/${id}`);
  await ui.thread("0c9e").waitFor();
  await keys(page, "a");
  await ui.dialog.waitFor();
  await keys(page, "Enter");
  await ui.toast.getByText("Applied.").waitFor();
  assert.match(workspace.read("src/http.rs"), /127\.0\.0\.1:8080/);
});

scene("the help shows every key, and Escape closes it", async ({ ui, page }) => {
  await keys(page, "?");
  await ui.dialog.waitFor();
  const shown = await ui.dialog.locator("kbd").allTextContents();
  for (const key of ["j", "k", "n", "p", "c", "r", "x", "/", "f", "?", "Ctrl Enter", "Esc"]) assert.ok(shown.includes(key), key);
  await keys(page, "x");
  await ui.dialog.waitFor();
  await keys(page, "Escape");
  await ui.dialog.waitFor({ state: "detached" });
});

scene("keys open the filter, the list and its threads", async ({ ui, page }) => {
  await keys(page, "f");
  await page.keyboard.type("http");
  assert.deepEqual(await page.locator("#tree .tree-file:visible").evaluateAll((all) => all.map((one) => one.dataset.path)), ["src/http.rs"]);
  await keys(page, "Enter");
  await page.waitForURL(/#f-/);
  await keys(page, "f", "Escape");
  assert.ok((await page.locator("#tree .tree-file:visible").count()) > 1);
  await keys(page, "t");
  await page.waitForURL(/\/threads/);
  await keys(page, "j", "j");
  const line = page.locator(".line[data-my-cursor]");
  const title = await line.locator(".line-title").textContent();
  await keys(page, "Enter");
  await page.waitForURL(/\/thread\//);
  await ui.page.locator(".thread .md", { hasText: title.slice(0, 20) }).first().waitFor();
  await keys(page, "r");
  await page.keyboard.type("Reached.");
  await keys(page, "Control+Shift+Enter");
  await page.locator(".thread[data-status=resolved]").waitFor();
  // Until then the key belongs to the field.
  await ui.composer.waitFor({ state: "detached" });
  await keys(page, "h");
  await page.waitForURL((url) => url.pathname === "/");
});

scene("any file is opened by its path", async ({ ui, page }) => {
  await keys(page, "f");
  await page.keyboard.type("README.md");
  await keys(page, "Enter");
  await page.waitForURL(/\/file\/README\.md$/);
  await ui.file("README.md").getByText("# Lantern").waitFor();
  await keys(page, "j", "c");
  await ui.composer.getByText("README.md:1").waitFor();
});

scene("the layout is switched by a key, and keys do nothing within a field", async ({ ui, page }) => {
  await keys(page, "u");
  await ui.file(FILE).locator("table.split").waitFor();
  // The page is loaded again, and handles keys only after that.
  await page.waitForLoadState();
  await keys(page, "u");
  await ui.file(FILE).locator("table.unified").waitFor();
  await page.waitForLoadState();
  await moveCursorTo(page, `${FILE}:30`);
  await keys(page, "c");
  await page.keyboard.type("jknpcrx?/");
  assert.equal(await ui.area.inputValue(), "jknpcrx?/");
  await keys(page, "Escape");
  assert.equal(await page.evaluate(() => document.activeElement.localName), "body");
  assert.equal(await ui.area.inputValue(), "jknpcrx?/", "the text of a field is kept when the field loses the focus");
});

scene("the keys of a thread act on the entries of a list", { path: "/threads" }, async ({ ui, page, workspace }) => {
  const line = () => page.locator(".line[data-my-cursor]");
  const idOf = () => line().getAttribute("data-thread");
  const statusOf = async (id) => (await workspace.threads("--status", "all")).threads.find((thread) => thread.id === id)?.status;
  await keys(page, "j");
  const first = await idOf();
  await keys(page, "x");
  await until(async () => (await statusOf(first)) === "resolved", "the thread is resolved");
  await ui.button("Undo", ui.toast).click();
  await until(async () => (await statusOf(first)) === "open", "the thread is open again");
  await page.locator(`.line[data-thread="${first}"]`).waitFor();
  await keys(page, "Escape", "j", "d");
  await ui.toast.getByText("Deleted.").waitFor();
  await ui.button("Undo", ui.toast.filter({ hasText: "Deleted." })).click();
  await page.locator(`.line[data-thread="${first}"]`).waitFor();
  await keys(page, "Escape", "j", "r");
  await page.waitForURL(/\/thread\//);
  await ui.area.waitFor();
  await page.keyboard.type("A reply from the list.");
  await keys(page, "Control+Enter");
  await ui.comment("A reply from the list.").waitFor();
});

scene("the line under the cursor has the focus, so that it is read aloud", async ({ page }) => {
  await moveCursorTo(page, `${FILE}:26`);
  const focused = await page.evaluate(() => document.activeElement.querySelector("td.n.r")?.dataset.n);
  assert.equal(focused, "26");
});
