// What is on the page after changes is what a reload shows.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const FILE = "src/cache.rs";

// Every thread with its comments, file by file, without what depends on the time.
const shown = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".thread")].map((thread) => {
      const file = thread.closest(".file")?.dataset.path ?? "";
      const comments = [...thread.querySelectorAll(".comment .md")].map((one) => one.textContent.trim());
      return [file, thread.dataset.thread.slice(0, 4), thread.querySelector(".at").textContent, comments];
    }),
  );

scene("threads keep their comments when lines above them unfold", async ({ desk, page, workspace }) => {
  const last = workspace.read(FILE).trimEnd().split("\n").length;
  await workspace.agent("review", "add", `${FILE}:${last}`, "-m", "On the last line.");
  await desk.thread("On the last line.").waitFor();
  const before = await shown(page);
  await desk.file(FILE).locator("[data-act=unfold]").first().click();
  await desk.row(FILE, 11).waitFor();
  assert.deepEqual(await shown(page), before);
});

scene("threads keep their comments when lines above them are edited", async ({ desk, page, workspace }) => {
  const last = workspace.read(FILE).trimEnd().split("\n").length;
  await workspace.agent("review", "add", `${FILE}:${last}`, "-m", "On the last line.");
  await desk.thread("On the last line.").waitFor();
  const comments = async () => (await shown(page)).map(([, id, , said]) => [id, said]);
  const before = await comments();
  for (let round = 1; round <= 6; round += 1) {
    workspace.edit(FILE, (code) => `// line ${round}\n${round % 2 ? "// and another\n" : ""}${code}`);
    await desk.file(FILE).getByText(`// line ${round}`, { exact: true }).waitFor();
    assert.deepEqual(await comments(), before, `round ${round}`);
  }
});

scene("after many changes the page is what a reload shows", async ({ desk, page, workspace }) => {
  await desk.file(FILE).locator("[data-act=unfold]").first().click();
  await desk.row(FILE, 11).waitFor();
  await workspace.agent("review", "add", `${FILE}:12`, "-m", "Between the unfolded lines.");
  await desk.thread("Between the unfolded lines.").waitFor();
  workspace.edit(FILE, (code) => code.split("\n").slice(3).join("\n"));
  await workspace.agent("review", "add", `${FILE}:2`, "-m", "Near the top.");
  await desk.thread("Near the top.").waitFor();
  workspace.edit(FILE, (code) => `// back\n// again\n// more\n${code}`);
  workspace.rename("src/http.rs", "src/server.rs");
  await desk.file("src/server.rs").waitFor();
  workspace.rename("src/server.rs", "src/http.rs");
  await desk.file("src/server.rs").waitFor({ state: "detached" });
  await desk.file(FILE).getByText("// again", { exact: true }).waitFor();
  // What the page settles on is compared with what a second page is given.
  const fresh = await page.context().newPage();
  await until(async () => {
    await fresh.goto(page.url());
    // Files come when they are scrolled to.
    for (const file of await page.locator(".file[data-waits]").all()) await file.scrollIntoViewIfNeeded();
    return JSON.stringify(await shown(page)) === JSON.stringify(await shown(fresh));
  }, "the page shows what a reload shows");
});

scene("a half-written reply moves with its thread to another file", async ({ desk, page, workspace }) => {
  const thread = desk.thread("0c9e");
  await desk.button("Reply…", thread).click();
  await page.keyboard.type("half written");
  workspace.rename("src/http.rs", "src/server.rs");
  await workspace.git("add", "--all");
  await until(async () => (await thread.locator("..").count()) > 0 && thread.evaluate((one) => one.closest(".file")?.dataset.path === "src/server.rs"), "the thread is in the renamed file");
  assert.equal(await thread.count(), 1);
  assert.equal(await thread.locator("textarea:not(.source)").inputValue(), "half written");
  assert.equal(await page.evaluate(() => document.activeElement.localName), "textarea");
});
