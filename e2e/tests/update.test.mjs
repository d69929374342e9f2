// After live changes the page shows the same as after a reload.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const FILE = "src/cache.rs";

// Every thread with its comments, file by file, without times.
const shown = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".thread")].map((thread) => {
      const file = thread.closest(".file")?.dataset.path ?? "";
      const comments = [...thread.querySelectorAll(".comment .md")].map((one) => one.textContent.trim());
      return [file, thread.dataset.thread.slice(0, 4), thread.querySelector(".at").textContent, comments];
    }),
  );

scene("threads keep their comments when lines above them unfold", async ({ ui, page, workspace }) => {
  const last = workspace.read(FILE).trimEnd().split("\n").length;
  await workspace.agent("review", "add", `${FILE}:${last}`, "-m", "On the last line.");
  await ui.thread("On the last line.").waitFor();
  const before = await shown(page);
  await ui.file(FILE).locator("[data-act=unfold]").first().click();
  await ui.row(FILE, 11).waitFor();
  assert.deepEqual(await shown(page), before);
});

scene("threads keep their comments when lines above them are edited", async ({ ui, page, workspace }) => {
  const last = workspace.read(FILE).trimEnd().split("\n").length;
  await workspace.agent("review", "add", `${FILE}:${last}`, "-m", "On the last line.");
  await ui.thread("On the last line.").waitFor();
  const comments = async () => (await shown(page)).map(([, id, , bodies]) => [id, bodies]);
  const before = await comments();
  for (let round = 1; round <= 6; round += 1) {
    workspace.edit(FILE, (code) => `// line ${round}\n${round % 2 ? "// and another\n" : ""}${code}`);
    await ui.file(FILE).getByText(`// line ${round}`, { exact: true }).waitFor();
    assert.deepEqual(await comments(), before, `round ${round}`);
  }
});

scene("after many changes the page shows the same as after a reload", async ({ ui, page, workspace }) => {
  await ui.file(FILE).locator("[data-act=unfold]").first().click();
  await ui.row(FILE, 11).waitFor();
  await workspace.agent("review", "add", `${FILE}:12`, "-m", "Between the unfolded lines.");
  await ui.thread("Between the unfolded lines.").waitFor();
  workspace.edit(FILE, (code) => code.split("\n").slice(3).join("\n"));
  await workspace.agent("review", "add", `${FILE}:2`, "-m", "Near the top.");
  await ui.thread("Near the top.").waitFor();
  workspace.edit(FILE, (code) => `// back\n// again\n// more\n${code}`);
  workspace.rename("src/http.rs", "src/server.rs");
  await ui.file("src/server.rs").waitFor();
  workspace.rename("src/server.rs", "src/http.rs");
  await ui.file("src/server.rs").waitFor({ state: "detached" });
  await ui.file(FILE).getByText("// again", { exact: true }).waitFor();
  // The page is compared with a second page that is loaded later.
  const fresh = await page.context().newPage();
  await until(async () => {
    await fresh.goto(page.url());
    // Files are loaded when they are scrolled to.
    for (const file of await page.locator(".file[data-waits]").all()) await file.scrollIntoViewIfNeeded();
    return JSON.stringify(await shown(page)) === JSON.stringify(await shown(fresh));
  }, "the page shows the same as a second page");
});

scene("a half-written reply moves with its thread to another file", async ({ ui, page, workspace }) => {
  const thread = ui.thread("0c9e");
  await ui.button("Reply…", thread).click();
  await page.keyboard.type("half written");
  workspace.rename("src/http.rs", "src/server.rs");
  await workspace.git("add", "--all");
  await until(async () => (await thread.locator("..").count()) > 0 && thread.evaluate((one) => one.closest(".file")?.dataset.path === "src/server.rs"), "the thread is in the renamed file");
  assert.equal(await thread.count(), 1);
  assert.equal(await thread.locator("textarea:not(.source)").inputValue(), "half written");
  assert.equal(await page.evaluate(() => document.activeElement.localName), "textarea");
});
