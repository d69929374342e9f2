// The page while others write: nothing that one looks at or writes is lost.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const FILE = "src/cache.rs";
const ID = "7f3a";

scene("the command line answers while a reply is half-written", async ({ t, desk, page, workspace }) => {
  const thread = desk.thread(ID);
  await desk.button("Reply…", thread).click();
  await page.keyboard.type("half written text");
  for (let left = 0; left < 5; left += 1) await page.keyboard.press("ArrowLeft");
  await page.mouse.wheel(0, 120);
  await until(async () => (await desk.scroll()) > 0, "the page is scrolled");
  const top = await desk.top(desk.composer);
  await page.evaluate(() => {
    const seen = () => document.body.textContent.includes("Needed, I think.") && (window.seenAt ??= Date.now());
    new MutationObserver(seen).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await workspace.agent("review", "reply", ID, "-m", "Needed, I think.");
  const written = Date.now();
  await thread.locator(".comment", { hasText: "Needed, I think." }).waitFor();
  t.diagnostic(`seen ${(await page.evaluate(() => window.seenAt)) - written} ms after the command had ended`);
  const caret = "half written".length;
  assert.deepEqual(await desk.writing(), { localName: "textarea", value: "half written text", selectionStart: caret, selectionEnd: caret });
  assert.ok(Math.abs((await desk.top(desk.composer)) - top) < 2, "the field stays where it is");
  await page.keyboard.type(" and more");
  assert.equal(await desk.area.inputValue(), "half written and more text");
  await page.keyboard.press("Control+Enter");
  await thread.locator(".comment", { hasText: "half written and more text" }).waitFor();
  assert.match(await workspace.skein("review", "show", ID), /Needed, I think\.[^]*half written and more text/);
});

scene("no key is lost while everything around changes", async ({ desk, page, workspace }) => {
  await desk.number(FILE, 30).click();
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
  await desk.comment(`answer ${round - 1}`).first().waitFor();
  await until(async () => (await desk.lineAbove(desk.composer)) === 30 + round, "the field is at its line");
  assert.equal((await desk.writing()).value, text);
});

scene("what others add, resolve and delete appears by itself", async ({ desk, workspace }) => {
  await workspace.agent("review", "add", `${FILE}:30`, "-m", "I am not sure about this.");
  const added = desk.thread("I am not sure about this.");
  await added.waitFor();
  assert.equal(await desk.lineAbove(added), 30);
  await workspace.skein("review", "resolve", ID);
  await until(async () => (await desk.thread(ID).getAttribute("data-status")) === "resolved", "it is resolved");
  await workspace.skein("review", "delete", `${FILE}:30`);
  await added.waitFor({ state: "detached" });
});

scene("a reply to a thread that somebody deletes is kept in sight, and goes back with it", async ({ desk, page, workspace }) => {
  const thread = desk.thread(ID);
  await desk.button("Reply…", thread).click();
  await page.keyboard.type("I was about to say");
  await workspace.skein("review", "delete", ID);
  await thread.waitFor({ state: "detached" });
  await desk.composer.getByText("This thread is not on the page any more. Your text is kept.").waitFor();
  assert.equal((await desk.writing()).value, "I was about to say");
  await workspace.skein("review", "restore", ID);
  await thread.locator(".composer").waitFor();
  await page.keyboard.type(" this.");
  await page.keyboard.press("Control+Enter");
  await thread.locator(".comment", { hasText: "I was about to say this." }).waitFor();
});

scene("a resolved thread folds once, and stays as the reader leaves it", async ({ desk, page, workspace }) => {
  const thread = desk.thread(ID);
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

scene("two windows show each other's comments", async ({ desk, page, open }) => {
  const other = await (await open()).open();
  await other.number(FILE, 30).click();
  await other.page.keyboard.type("From the other window.");
  await desk.number(FILE, 26).click();
  await page.keyboard.type("From this window.");
  await other.page.keyboard.press("Control+Enter");
  await desk.thread("From the other window.").waitFor();
  assert.equal((await desk.writing()).value, "From this window.");
  await page.keyboard.press("Control+Enter");
  await other.thread("From this window.").waitFor();
});

scene("tabs share one stream, and another takes over when its tab is closed", async ({ desk, window, workspace }) => {
  const all = new Set();
  const streams = () => [...all].filter((request) => !request.frame().page().isClosed()).length;
  const isStream = (request) => new URL(request.url()).pathname === "/events";
  window.context.on("request", (request) => isStream(request) && all.add(request));
  window.context.on("requestfailed", (request) => all.delete(request));
  window.context.on("requestfinished", (request) => all.delete(request));
  // The first stream began before anybody counted.
  await desk.page.reload();
  await until(() => streams() === 1, "the first tab listens");
  const [first, second, third] = [desk, await window.open(), await window.open("/threads")];
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

scene("a thread that breaks while the page is open says so, and the rest goes on", async ({ desk, page, workspace }) => {
  const id = await desk.idOf(desk.thread(ID));
  const text = workspace.read(workspace.threadFile(id));
  workspace.write(workspace.threadFile(id), text.replace('"id":', '"id'));
  await desk.thread(ID).waitFor({ state: "detached" });
  await workspace.agent("review", "reply", "b21d", "-m", "Still here.");
  await desk.comment("Still here.").waitFor();
  await page.goto(new URL("/threads", page.url()).href);
  const problems = page.locator(".problems li");
  await problems.filter({ hasText: id }).waitFor();
  workspace.write(workspace.threadFile(id), text);
  await problems.filter({ hasText: id }).waitFor({ state: "detached" });
  await page.locator(".line", { hasText: "It is >= in the worktree now" }).waitFor();
});

scene("the page says that the server is away, and recovers by itself", async ({ desk, page, window, server, workspace }) => {
  window.faults.expect(/ERR_CONNECTION_REFUSED/, /ERR_INCOMPLETE_CHUNKED/, /ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/);
  await server.stop();
  await page.locator("#live", { hasText: "Not connected. Trying again…" }).waitFor();
  workspace.edit(FILE, (text) => text.replace("the oldest entry", "the eldest entry"));
  await server.start();
  await desk.connected();
  await desk.file(FILE).getByText("the eldest entry").waitFor();
});
