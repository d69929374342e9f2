// The page while others write: half-written text and the scroll position are kept.
import assert from "node:assert/strict";
import { LOST_CONNECTION } from "../lib/faults.mjs";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const FILE = "src/cache.rs";
const ID = "7f3a";

scene("a half-written reply stays when the command line adds an answer", async ({ t, ui, page, workspace }) => {
  const thread = ui.thread(ID);
  await ui.button("Reply…", thread).click();
  await page.keyboard.type("half written text");
  for (let left = 0; left < 5; left += 1) await page.keyboard.press("ArrowLeft");
  await page.mouse.wheel(0, 120);
  await until(async () => (await ui.scroll()) > 0, "the page is scrolled");
  const top = await ui.top(ui.composer);
  await page.evaluate(() => {
    const seen = () => document.body.textContent.includes("Needed, I think.") && (window.seenAt ??= Date.now());
    new MutationObserver(seen).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await workspace.agent("review", "reply", ID, "-m", "Needed, I think.");
  const written = Date.now();
  await thread.locator(".comment", { hasText: "Needed, I think." }).waitFor();
  t.diagnostic(`seen ${(await page.evaluate(() => window.seenAt)) - written} ms after the command had ended`);
  const caret = "half written".length;
  assert.deepEqual(await ui.writing(), { localName: "textarea", value: "half written text", selectionStart: caret, selectionEnd: caret });
  assert.ok(Math.abs((await ui.top(ui.composer)) - top) < 2, "the field stays where it is");
  await page.keyboard.type(" and more");
  assert.equal(await ui.area.inputValue(), "half written and more text");
  await page.keyboard.press("Control+Enter");
  await thread.locator(".comment", { hasText: "half written and more text" }).waitFor();
  assert.match(await workspace.skein("review", "show", ID), /Needed, I think\.[^]*half written and more text/);
});

scene("no typed key is lost while files and threads change", async ({ ui, page, workspace }) => {
  await ui.number(FILE, 30).click();
  const text = Array.from({ length: 15 }, (_, index) => `word${index}`).join(" ");
  let typing = true;
  const typed = page.keyboard.type(text, { delay: 5 }).finally(() => (typing = false));
  let round = 0;
  for (; typing; round += 1) {
    workspace.edit(FILE, (code) => code.replace(/^/, `// line ${round}\n`));
    await workspace.agent("review", "reply", ID, "-m", `answer ${round}`);
  }
  await typed;
  assert.ok(round > 1, `${round} rounds`);
  await ui.comment(`answer ${round - 1}`).first().waitFor();
  await until(async () => (await ui.lineAbove(ui.composer)) === 30 + round, "the field is at its line");
  assert.equal((await ui.writing()).value, text);
});

scene("threads that others add, resolve and delete are updated without a reload", async ({ ui, workspace }) => {
  await workspace.agent("review", "add", `${FILE}:30`, "-m", "I am not sure about this.");
  const added = ui.thread("I am not sure about this.");
  await added.waitFor();
  assert.equal(await ui.lineAbove(added), 30);
  await workspace.skein("review", "resolve", ID);
  await until(async () => (await ui.thread(ID).getAttribute("data-status")) === "resolved", "it is resolved");
  await workspace.skein("review", "delete", `${FILE}:30`);
  await added.waitFor({ state: "detached" });
});

scene("a reply to a thread that is deleted stays visible, and returns to the restored thread", async ({ ui, page, workspace }) => {
  const thread = ui.thread(ID);
  await ui.button("Reply…", thread).click();
  await page.keyboard.type("I was about to say");
  await workspace.skein("review", "delete", ID);
  await thread.waitFor({ state: "detached" });
  await ui.composer.getByText("This thread is not on the page any more. Your text is kept.").waitFor();
  assert.equal((await ui.writing()).value, "I was about to say");
  await workspace.skein("review", "restore", ID);
  await thread.locator(".composer").waitFor();
  await page.keyboard.type(" this.");
  await page.keyboard.press("Control+Enter");
  await thread.locator(".comment", { hasText: "I was about to say this." }).waitFor();
});

scene("a resolved thread folds once, and then stays as the user leaves it", async ({ ui, page, workspace }) => {
  const thread = ui.thread(ID);
  const first = thread.locator(".comment").first();
  await workspace.skein("review", "resolve", ID);
  await first.waitFor({ state: "hidden" });
  await thread.locator("summary").click();
  await first.waitFor({ state: "visible" });
  await workspace.agent("review", "reply", ID, "-m", "By the way.");
  await thread.locator(".comment", { hasText: "By the way." }).waitFor();
  assert.ok(await first.isVisible());
  assert.equal(await page.locator("[data-my-turned]").count(), 0);
});

scene("two windows show each other's comments", async ({ ui, page, open }) => {
  const other = await (await open()).open();
  await other.number(FILE, 30).click();
  await other.page.keyboard.type("From the other window.");
  await ui.number(FILE, 26).click();
  await page.keyboard.type("From this window.");
  await other.page.keyboard.press("Control+Enter");
  await ui.thread("From the other window.").waitFor();
  assert.equal((await ui.writing()).value, "From this window.");
  await page.keyboard.press("Control+Enter");
  await other.thread("From this window.").waitFor();
});

scene("tabs share one event stream, and another tab takes over when the first is closed", async ({ ui, window, workspace }) => {
  const all = new Set();
  const streams = () => [...all].filter((request) => !request.frame().page().isClosed()).length;
  const isStream = (request) => new URL(request.url()).pathname === "/events";
  window.context.on("request", (request) => isStream(request) && all.add(request));
  window.context.on("requestfailed", (request) => all.delete(request));
  window.context.on("requestfinished", (request) => all.delete(request));
  // The first stream started before its requests were counted.
  await ui.page.reload();
  await until(() => streams() === 1, "the first tab is connected");
  const [first, second, third] = [ui, await window.open(), await window.open("/threads")];
  await workspace.agent("review", "reply", ID, "-m", "To all three.");
  await first.comment("To all three.").waitFor();
  await second.comment("To all three.").waitFor();
  assert.equal(streams(), 1, "one stream for three tabs");
  await first.page.close();
  await workspace.agent("review", "reply", ID, "-m", "To those that are left.");
  await second.comment("To those that are left.").waitFor();
  await workspace.agent("review", "add", `${FILE}:30`, "-m", "A thread for the list.");
  await third.page.locator(".line", { hasText: "A thread for the list." }).waitFor();
  await until(() => streams() === 1, "one stream again");
});

scene("a thread file that breaks while the page is open is reported, and the other threads are still updated", async ({ ui, page, workspace }) => {
  const id = await ui.idOf(ui.thread(ID));
  const text = workspace.read(workspace.threadFile(id));
  workspace.write(workspace.threadFile(id), text.replace('"id":', '"id'));
  await ui.thread(ID).waitFor({ state: "detached" });
  await workspace.agent("review", "reply", "b21d", "-m", "Still here.");
  await ui.comment("Still here.").waitFor();
  await page.goto(new URL("/threads", page.url()).href);
  const problems = page.locator(".problems li");
  await problems.filter({ hasText: id }).waitFor();
  workspace.write(workspace.threadFile(id), text);
  await problems.filter({ hasText: id }).waitFor({ state: "detached" });
  await page.locator(".line", { hasText: "It is >= in the worktree now" }).waitFor();
});

scene("the page says that the server does not respond, and reconnects by itself", async ({ ui, page, window, server, workspace }) => {
  window.faults.expect(LOST_CONNECTION);
  await server.stop();
  await page.locator("#live", { hasText: "Not connected. Trying again…" }).waitFor();
  workspace.edit(FILE, (text) => text.replace("the oldest entry", "the eldest entry"));
  await server.start();
  await ui.connected();
  await ui.file(FILE).getByText("the eldest entry").waitFor();
});

scene("an answer is announced to screen readers", async ({ ui, page, workspace }) => {
  const announced = page.locator("#announced");
  await ui.thread(ID).waitFor();
  await workspace.agent("review", "reply", ID, "-m", "Needed, I think.");
  await announced.getByText("Claude Code answered on src/").waitFor({ state: "attached" });
  assert.match(await announced.textContent(), /Needed, I think\.$/);
});

scene("the button to edit a comment is visible without a mouse", { window: { hasTouch: true, isMobile: true } }, async ({ page }) => {
  const edit = page.locator(".comment [data-act=edit]").first();
  await until(async () => (await edit.evaluate((button) => getComputedStyle(button).opacity)) === "1", "the button is visible");
});
