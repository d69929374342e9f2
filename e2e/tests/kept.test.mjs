// Half-written text survives a reload and a restart of the server.
import assert from "node:assert/strict";
import { LOST_CONNECTION } from "../lib/faults.mjs";
import { scene } from "../lib/scene.mjs";
import { gate, until } from "../lib/until.mjs";

const FILE = "src/cache.rs";
const ID = "7f3a";

const texts = async (ui) => (await ui.area.evaluateAll((areas) => areas.map((area) => area.value))).sort();

// Starts one text of each kind, and sends none.
async function startTexts(ui, page) {
  await ui.number(FILE, 30).click();
  await page.keyboard.type("1 on a line");
  await ui.button(`Comment on file ${FILE}`).click();
  await page.keyboard.type("2 on the file");
  await ui.button("Reply…", ui.thread(ID)).click();
  await page.keyboard.type("3 a reply");
  await ui.thread(ID).locator(".comment").first().hover();
  await ui.button("Edit your comment", ui.thread(ID)).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("4 an edit");
}

const ALL = ["1 on a line", "2 on the file", "3 a reply", "4 an edit"];

scene("half-written texts of every kind survive a reload", async ({ ui, page, workspace }) => {
  await startTexts(ui, page);
  await page.reload();
  await ui.area.nth(3).waitFor();
  assert.deepEqual(await texts(ui), ALL);
  const written = ui.composer.filter({ hasText: `${FILE}:30` });
  assert.equal(await ui.lineAbove(written), 30);
  await ui.button("Comment", written).click();
  await ui.thread("1 on a line").waitFor();
  assert.deepEqual(await texts(ui), ALL.slice(1));
  await page.reload();
  await ui.area.nth(2).waitFor();
  assert.deepEqual(await texts(ui), ALL.slice(1), "the sent text is not kept");
  assert.match(await workspace.skein("review", "list"), /1 on a line/);
});

scene("half-written texts survive a restart of the server, which keeps its address", async ({ ui, page, window, server }) => {
  window.faults.expect(LOST_CONNECTION);
  await startTexts(ui, page);
  const { origin } = server;
  assert.equal(await server.stop(), 0, "the server exits with 0 while a page is connected");
  await page.locator("#live", { hasText: "Not connected" }).waitFor();
  // A message is shown for text that cannot be sent, and the text is kept.
  const written = ui.composer.filter({ hasText: `${FILE}:30` });
  await ui.button("Comment", written).click();
  await written.getByText("The server does not answer.").waitFor();
  assert.deepEqual(await texts(ui), ALL);
  await server.start();
  assert.equal(server.origin, origin);
  await ui.connected();
  assert.deepEqual(await texts(ui), ALL);
  await page.reload();
  await ui.area.nth(3).waitFor();
  assert.deepEqual(await texts(ui), ALL);
  await ui.button("Comment", written).click();
  await ui.thread("1 on a line").waitFor();
});

scene("a page that was open before a restart of the server can write", async ({ ui, page, window, server, workspace }) => {
  window.faults.expect(LOST_CONNECTION);
  await ui.number(FILE, 30).click();
  await page.keyboard.type("Before the restart.");
  await server.stop();
  await page.locator("#live", { hasText: "Not connected" }).waitFor();
  await workspace.agent("review", "reply", ID, "-m", "Said while nobody listened.");
  await server.start();
  await ui.connected();
  await ui.comment("Said while nobody listened.").waitFor();
  await ui.button("Comment").click();
  await ui.thread("Before the restart.").waitFor();
  await until(async () => (await workspace.skein("review", "list")).includes("Before the restart."), "it is stored");
});

scene("a half-written comment on a line that was unfolded survives a reload", async ({ ui, page }) => {
  await ui.file(FILE).locator("[data-act=unfold]").first().click();
  await ui.number(FILE, 11).click();
  await page.keyboard.type("Deep inside.");
  await page.reload();
  await ui.area.waitFor();
  assert.equal(await ui.area.inputValue(), "Deep inside.");
  assert.equal(await ui.lineAbove(ui.composer), 11);
  assert.ok(await ui.composer.locator(".message").isHidden(), "there is no message about unchanged lines");
});

scene("a half-written comment on a file that is not shown is listed with a link to the file", async ({ ui, page, workspace }) => {
  await ui.number(FILE, 25).click();
  await page.keyboard.type("Before the commit.");
  await workspace.commit("done");
  await ui.file(FILE).waitFor({ state: "detached" });
  await page.reload();
  const unsent = page.locator("#unsent-texts .unsent-text", { hasText: `${FILE}:25` });
  await unsent.locator("summary").click();
  await unsent.getByText("Before the commit.").waitFor();
  await unsent.getByRole("link", { name: "Go to location" }).click();
  await page.waitForURL(/\/file\/src\/cache\.rs/);
  assert.equal(await ui.area.inputValue(), "Before the commit.");
  assert.equal(await ui.lineAbove(ui.composer), 25);
  await ui.button("Comment").click();
  await ui.thread("Before the commit.").waitFor();
  // The event of the new thread may be earlier than the response to the request that sent it.
  await ui.composer.waitFor({ state: "detached" });
  await page.goto(new URL("/", page.url()).href);
  assert.equal(await unsent.count(), 0);
});

scene("half-written text is shared between tabs, and removed from both when it is sent", async ({ ui, page, window }) => {
  await ui.number(FILE, 30).click();
  await page.keyboard.type("In two tabs.");
  const other = await window.open();
  assert.equal(await other.area.inputValue(), "In two tabs.");
  await page.bringToFront();
  await page.keyboard.press("Control+Enter");
  await ui.thread("In two tabs.").waitFor();
  await other.composer.waitFor({ state: "detached" });
  await other.thread("In two tabs.").waitFor();
});

scene("the viewed mark survives a reload, and is removed when the file changes", async ({ ui, page, workspace }) => {
  workspace.edit("README.md", (text) => `${text}\nMore.\n`);
  await ui.file("README.md").getByText("More.").waitFor();
  const box = (path) => ui.file(path).getByLabel("Viewed");
  const body = (path) => ui.file(path).locator(".file-body");
  await box(FILE).click();
  await body(FILE).waitFor({ state: "hidden" });
  await page.getByText(/^1\/\d+ viewed/).waitFor();
  await page.reload();
  await body(FILE).waitFor({ state: "hidden" });
  assert.ok(await box(FILE).isChecked());
  // A change of another file has no effect.
  workspace.edit("README.md", (text) => `${text}\nAnd more.\n`);
  await ui.file("README.md").getByText("And more.").waitFor();
  assert.ok(await box(FILE).isChecked());
  workspace.edit(FILE, (text) => text.replace("the oldest entry", "the eldest entry"));
  await body(FILE).getByText("the eldest entry").waitFor();
  assert.equal(await box(FILE).isChecked(), false);
  await page.getByText(/^0\/\d+ viewed/).waitFor();
});

scene("the viewed mark is removed when a binary file changes, and is kept for a deleted file", async ({ ui, page, workspace }) => {
  workspace.write("image.bin", "\0one");
  workspace.remove("src/http.rs");
  const box = (path) => ui.file(path).getByLabel("Viewed");
  for (const path of ["image.bin", "src/http.rs"]) {
    await ui.file(path).waitFor();
    await box(path).click();
    await ui.file(path).locator(".file-body").waitFor({ state: "hidden" });
  }
  await page.reload();
  assert.ok(await box("image.bin").isChecked());
  assert.ok(await box("src/http.rs").isChecked());
  workspace.write("image.bin", "\0two, and more");
  await page.reload();
  await ui.file("image.bin").locator(".file-body").waitFor({ state: "visible" });
  assert.equal(await box("image.bin").isChecked(), false);
  assert.ok(await box("src/http.rs").isChecked());
});

scene("a file can be marked as viewed before its code is loaded", async ({ ui, page, workspace }) => {
  const clicked = gate();
  await page.route("**/fragment/section?*", (route) => clicked.opened.then(() => route.continue()));
  workspace.write("image.bin", "\0one");
  workspace.write("src/new.rs", "fn new() {}\n");
  const paths = ["image.bin", "src/new.rs"];
  for (const path of paths) await ui.file(path).getByLabel("Viewed").click();
  clicked.open();
  for (const path of paths) await ui.file(path).locator(".file-body").waitFor({ state: "hidden" });
  // The change of a binary file is noticed without a reload.
  workspace.write("image.bin", "\0two, and more");
  await ui.file("image.bin").locator(".file-body").waitFor({ state: "visible" });
  await ui.file("image.bin").getByLabel("Viewed").click();
  await page.getByText(/^2\/\d+ viewed/).waitFor();
  await page.reload();
  for (const path of paths) assert.ok(await ui.file(path).getByLabel("Viewed").isChecked(), path);
});
