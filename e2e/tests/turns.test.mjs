// Whom a thread waits on, who has claimed it, and who proposes to resolve it.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";
import { AGENT, Workspace } from "../lib/workspace.mjs";

const LOCALE = { window: { locale: "en-GB", timezoneId: "UTC" } };
const WORKS = /^Claude Code works on this until (\w{3} )?\d\d:\d\d$/; // the day is named after midnight

// One file with a thread on each of three lines.
async function threeThreads() {
  const workspace = await Workspace.plain({ "a.txt": "one\ntwo\nthree\n" });
  workspace.write("a.txt", "one!\ntwo!\nthree!\n");
  for (const line of [1, 2, 3]) await workspace.skein("review", "add", `a.txt:${line}`, "-m", `Question ${line}.`);
  return workspace;
}

const line = (page, at) => page.locator(".line", { has: page.locator(".at", { hasText: at }) });
const claimed = async (workspace, ...args) => JSON.parse(await workspace.agent("review", "next", "--claim", "--json", ...args)).thread;
const propose = (workspace, at) => workspace.agent("review", "resolve", at, "-m", "Done.");
const isResolved = async (workspace, at) => JSON.parse(await workspace.skein("review", "show", at, "--json")).status === "resolved";

scene("a claim appears on every page that lists the thread, and disappears when it is released", { make: threeThreads, ...LOCALE }, async ({ ui, window, workspace }) => {
  const pages = { list: await window.open("/threads"), overview: await window.open("/overview"), search: await window.open("/search?q=question") };
  for (const one of Object.values(pages)) await one.connected();
  const { id, at } = await claimed(workspace);
  const claims = [
    ui.thread(id).locator("summary .claim"),
    line(pages.list.page, at).locator(".claim"),
    line(pages.overview.page, at).first().locator(".claim"),
  ];
  for (const claim of claims) {
    await claim.page().bringToFront();
    await claim.waitFor();
    assert.match(await claim.textContent(), WORKS);
  }
  await pages.search.page.bringToFront();
  await pages.search.page.reload();
  assert.match(await pages.search.page.locator(".hit .claim").textContent(), WORKS);
  assert.equal(await line(pages.list.page, at).locator(".turn").count(), 0, "the claim replaces the label of whom the thread waits on");
  await workspace.agent("review", "next", "--release", id);
  for (const claim of claims) {
    await claim.page().bringToFront();
    await claim.waitFor({ state: "detached" });
  }
});

scene("an expired claim disappears from the page", { make: threeThreads, path: "/threads", ...LOCALE }, async ({ page, ui, workspace }) => {
  await ui.connected();
  const { at } = await claimed(workspace, "--lease", "3s");
  await line(page, at).locator(".claim").waitFor();
  await line(page, at).locator(".claim").waitFor({ state: "detached" });
  assert.equal(await line(page, at).locator(".turn").textContent(), "waiting on an agent");
});

scene("a thread shows whom it waits on, and a thread for another person does not wait on the reviewer", { make: threeThreads, path: "/threads" }, async ({ page, server, workspace }) => {
  const ask = (at, text) => workspace.skein("review", "reply", at, "-m", text);
  await ask("a.txt:1", "@Tom is this right?");
  await ask("a.txt:2", "@Codex please change it.");
  await workspace.agent("review", "reply", "a.txt:3", "-m", "@mira which one?");
  const turn = (at) => line(page, at).locator(".turn");
  await until(async () => (await turn("a.txt:3").textContent()) === "waiting on you", "the thread waits on the reviewer");
  assert.equal(await turn("a.txt:1").textContent(), "waiting on Tom");
  const dots = await page.locator(".line .dot").evaluateAll((all) => all.map((one) => one.className));
  assert.deepEqual(dots, ["dot agent", "dot agent", "dot reviewer"]);
  assert.match(await turn("a.txt:2").textContent(), /^waiting on codex$/i);
  assert.equal(await page.locator("nav .count").textContent(), "1");
  for (const [which, at] of [["reviewer", "a.txt:3"], ["others", "a.txt:1"], ["agent", "a.txt:2"]]) {
    await page.goto(`${server.origin}/threads?waiting=${which}`);
    assert.deepEqual(await page.locator(".line .at").allTextContents(), [at]);
  }
  await page.goto(`${server.origin}/overview`);
  await page.locator("[data-key=o-others]", { hasText: "waiting on Tom" }).waitFor();
  await page.goto(server.origin);
  assert.equal(await page.locator(".thread", { hasText: "is this right?" }).locator("summary .turn").textContent(), "waiting on Tom");
});

scene("a proposal to resolve is shown in lists, and accepted with one key", { make: threeThreads, path: "/threads" }, async ({ page, ui, server, workspace }) => {
  await ui.connected();
  await propose(workspace, "a.txt:2");
  const tag = line(page, "a.txt:2").locator(".tag.proposed");
  await tag.waitFor();
  assert.equal(await tag.textContent(), `resolve proposed by ${AGENT}`);
  await page.keyboard.press("A");
  assert.ok(!(await isResolved(workspace, "a.txt:2")), "without a cursor nothing is accepted");
  // The key does nothing on a thread without a proposal.
  for (const at of ["a.txt:1", "a.txt:2"]) {
    await page.keyboard.press("j");
    assert.equal(await page.locator(".line[data-my-cursor] .at").textContent(), at);
    await page.keyboard.press("A");
  }
  await ui.toast.getByText("Resolved.").waitFor();
  await line(page, "a.txt:2").waitFor({ state: "detached" });
  assert.ok(await isResolved(workspace, "a.txt:2"));
  assert.ok(!(await isResolved(workspace, "a.txt:1")));
  // Undoing it declines the proposal.
  await page.keyboard.press("z");
  await line(page, "a.txt:2").waitFor();
  assert.equal(await line(page, "a.txt:2").locator(".turn").textContent(), "waiting on an agent");
  assert.equal(await tag.count(), 0);
  await propose(workspace, "a.txt:2");
  await tag.waitFor();
  await page.goto(`${server.origin}/overview`);
  await page.locator("[data-key=o-reviewer] .tag.proposed").waitFor();
});

scene("a thread with a proposal has a button to accept it, labelled with its key", { make: threeThreads }, async ({ ui, page, workspace }) => {
  await ui.connected();
  for (const at of ["a.txt:1", "a.txt:3"]) await propose(workspace, at);
  const status = (text, wanted) => until(async () => (await ui.thread(text).getAttribute("data-status")) === wanted, `${text} is ${wanted}`);
  const accept = ui.button("Accept", ui.thread("Question 1."));
  await accept.waitFor();
  assert.equal(await accept.locator("kbd").textContent(), "A");
  assert.equal(await ui.button("Resolve", ui.thread("Question 1.")).count(), 0, "there is no second button to resolve");
  await accept.click();
  await status("Question 1.", "resolved");
  const third = ui.thread("Question 3.");
  await third.locator("summary .at").click();
  await page.keyboard.press("A");
  await status("Question 3.", "resolved");
  assert.ok((await isResolved(workspace, "a.txt:1")) && (await isResolved(workspace, "a.txt:3")));
  // The key does not resolve a thread without a proposal.
  await ui.thread("Question 2.").focus();
  await page.keyboard.press("A");
  assert.ok(!(await isResolved(workspace, "a.txt:2")));
  await page.keyboard.press("?");
  await ui.dialog.getByText("Accept an agent's proposal to resolve the thread").waitFor();
});

scene("a proposal is declined by a reply, which keeps the thread open", { make: threeThreads }, async ({ ui, page, workspace }) => {
  await ui.connected();
  await propose(workspace, "a.txt:2");
  const thread = ui.thread("Question 2.");
  await ui.button("Decline…", thread).click();
  assert.match(await ui.area.getAttribute("placeholder"), /stays open/);
  await page.keyboard.type("Not yet.");
  await page.keyboard.press("Control+Enter");
  await thread.locator(".proposal").waitFor({ state: "detached" });
  await thread.locator(".tag.proposed").waitFor({ state: "detached" });
  assert.equal(await thread.locator("summary .turn").textContent(), "waiting on an agent");
  const shown = JSON.parse(await workspace.skein("review", "show", "a.txt:2", "--json"));
  assert.deepEqual([shown.status, shown.proposed_resolved, shown.waiting_on], ["open", false, "agent"]);
});

scene("a half-written reply stays when a proposal appears and disappears", { make: threeThreads }, async ({ ui, page, workspace }) => {
  await ui.connected();
  const thread = ui.thread("Question 2.");
  await ui.button("Reply…", thread).click();
  await page.keyboard.type("half written");
  const isWriting = async () => assert.deepEqual(await ui.writing(), { localName: "textarea", value: "half written", selectionStart: 12, selectionEnd: 12 });
  await propose(workspace, "a.txt:2");
  await thread.locator(".proposal").waitFor();
  await isWriting();
  await workspace.skein("review", "reply", "a.txt:2", "-m", "Not yet.");
  await thread.locator(".proposal").waitFor({ state: "detached" });
  await isWriting();
});

scene("a read-only page has no button to accept", { make: threeThreads, args: ["--read-only"] }, async ({ ui, page, workspace }) => {
  await ui.connected();
  await propose(workspace, "a.txt:2");
  await ui.thread("Question 2.").locator(".tag.proposed").waitFor();
  assert.equal(await page.locator("[data-act=accept]").count(), 0);
});
