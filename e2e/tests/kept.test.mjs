// What is half-written is kept: over a reload, and over a restart of the server.
import assert from "node:assert/strict";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const FILE = "src/cache.rs";
const ID = "7f3a";

const texts = async (desk) => (await desk.area.evaluateAll((areas) => areas.map((area) => area.value))).sort();

// Begins one text of each kind, and sends none.
async function begin(desk, page) {
  await desk.number(FILE, 30).click();
  await page.keyboard.type("1 on a line");
  await desk.button(`Comment on file ${FILE}`).click();
  await page.keyboard.type("2 on the file");
  await desk.button("Reply…", desk.thread(ID)).click();
  await page.keyboard.type("3 a reply");
  await desk.thread(ID).locator(".comment").first().hover();
  await desk.button("Edit your comment", desk.thread(ID)).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("4 an edit");
}

const ALL = ["1 on a line", "2 on the file", "3 a reply", "4 an edit"];

scene("half-written texts of every kind outlive a reload", async ({ desk, page, workspace }) => {
  await begin(desk, page);
  await page.reload();
  await desk.area.nth(3).waitFor();
  assert.deepEqual(await texts(desk), ALL);
  const written = desk.composer.filter({ hasText: `${FILE}:30` });
  assert.equal(await desk.lineAbove(written), 30);
  await desk.button("Comment", written).click();
  await desk.thread("1 on a line").waitFor();
  assert.deepEqual(await texts(desk), ALL.slice(1));
  await page.reload();
  await desk.area.nth(2).waitFor();
  assert.deepEqual(await texts(desk), ALL.slice(1), "what was sent is not kept");
  assert.match(await workspace.skein("review", "list"), /1 on a line/);
});

scene("half-written texts outlive the server, which has the same address again", async ({ desk, page, window, server }) => {
  window.faults.expect(/ERR_CONNECTION_REFUSED/, /ERR_INCOMPLETE_CHUNKED/, /ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/);
  await begin(desk, page);
  const { origin } = server;
  assert.equal(await server.stop(), 0, "the server ends cleanly while a page listens");
  await page.locator("#live", { hasText: "Not connected" }).waitFor();
  // What cannot be sent is said, and kept.
  const written = desk.composer.filter({ hasText: `${FILE}:30` });
  await desk.button("Comment", written).click();
  await written.getByText("The server does not answer.").waitFor();
  assert.deepEqual(await texts(desk), ALL);
  await server.start();
  assert.equal(server.origin, origin);
  await desk.connected();
  assert.deepEqual(await texts(desk), ALL);
  await page.reload();
  await desk.area.nth(3).waitFor();
  assert.deepEqual(await texts(desk), ALL);
  await desk.button("Comment", written).click();
  await desk.thread("1 on a line").waitFor();
});

scene("a page that was open before the server started again can write", async ({ desk, page, window, server, workspace }) => {
  window.faults.expect(/ERR_CONNECTION_REFUSED/, /ERR_INCOMPLETE_CHUNKED/, /ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/);
  await desk.number(FILE, 30).click();
  await page.keyboard.type("Before the restart.");
  await server.stop();
  await page.locator("#live", { hasText: "Not connected" }).waitFor();
  await workspace.agent("review", "reply", ID, "-m", "Said while nobody listened.");
  await server.start();
  await desk.connected();
  await desk.comment("Said while nobody listened.").waitFor();
  await desk.button("Comment").click();
  await desk.thread("Before the restart.").waitFor();
  await until(async () => (await workspace.skein("review", "list")).includes("Before the restart."), "it is stored");
});

scene("a half-written comment on a line that was unfolded outlives a reload", async ({ desk, page }) => {
  await desk.file(FILE).locator("[data-act=unfold]").first().click();
  await desk.number(FILE, 11).click();
  await page.keyboard.type("Deep inside.");
  await page.reload();
  await desk.area.waitFor();
  assert.equal(await desk.area.inputValue(), "Deep inside.");
  assert.equal(await desk.lineAbove(desk.composer), 11);
  assert.ok(await desk.composer.locator(".message").isHidden(), "nothing is said about lines that are as they were");
});

scene("a half-written comment on a file that is not shown is named, and leads there", async ({ desk, page, workspace }) => {
  await desk.number(FILE, 25).click();
  await page.keyboard.type("Before the commit.");
  await workspace.commit("done");
  await desk.file(FILE).waitFor({ state: "detached" });
  await page.reload();
  const stray = page.locator("#unsent-texts .unsent-text", { hasText: `${FILE}:25` });
  await stray.locator("summary").click();
  await stray.getByText("Before the commit.").waitFor();
  await stray.getByRole("link", { name: "Go to location" }).click();
  await page.waitForURL(/\/file\/src\/cache\.rs/);
  assert.equal(await desk.area.inputValue(), "Before the commit.");
  assert.equal(await desk.lineAbove(desk.composer), 25);
  await desk.button("Comment").click();
  await desk.thread("Before the commit.").waitFor();
  // The event of the new thread may be earlier than the response to the request that sent it.
  await desk.composer.waitFor({ state: "detached" });
  await page.goto(new URL("/", page.url()).href);
  assert.equal(await stray.count(), 0);
});

scene("what is half-written in one tab is in the other, and in neither once it is sent", async ({ desk, page, window }) => {
  await desk.number(FILE, 30).click();
  await page.keyboard.type("In two tabs.");
  const other = await window.open();
  assert.equal(await other.area.inputValue(), "In two tabs.");
  await page.bringToFront();
  await page.keyboard.press("Control+Enter");
  await desk.thread("In two tabs.").waitFor();
  await other.composer.waitFor({ state: "detached" });
  await other.thread("In two tabs.").waitFor();
});

scene("viewed is kept over a reload, and ends when that file changes", async ({ desk, page, workspace }) => {
  workspace.edit("README.md", (text) => `${text}\nMore.\n`);
  await desk.file("README.md").getByText("More.").waitFor();
  const box = (path) => desk.file(path).getByLabel("Viewed");
  const body = (path) => desk.file(path).locator(".file-body");
  await box(FILE).click();
  await body(FILE).waitFor({ state: "hidden" });
  await page.getByText(/^1\/\d+ viewed/).waitFor();
  await page.reload();
  await body(FILE).waitFor({ state: "hidden" });
  assert.ok(await box(FILE).isChecked());
  // Another file is not this one.
  workspace.edit("README.md", (text) => `${text}\nAnd more.\n`);
  await desk.file("README.md").getByText("And more.").waitFor();
  assert.ok(await box(FILE).isChecked());
  workspace.edit(FILE, (text) => text.replace("the oldest entry", "the eldest entry"));
  await body(FILE).getByText("the eldest entry").waitFor();
  assert.equal(await box(FILE).isChecked(), false);
  await page.getByText(/^0\/\d+ viewed/).waitFor();
});

scene("viewed ends for a file without text too, and is kept for one that was deleted", async ({ desk, page, workspace }) => {
  workspace.write("image.bin", "\0one");
  workspace.remove("src/http.rs");
  const box = (path) => desk.file(path).getByLabel("Viewed");
  for (const path of ["image.bin", "src/http.rs"]) {
    await desk.file(path).waitFor();
    await box(path).click();
    await desk.file(path).locator(".file-body").waitFor({ state: "hidden" });
  }
  await page.reload();
  assert.ok(await box("image.bin").isChecked());
  assert.ok(await box("src/http.rs").isChecked());
  workspace.write("image.bin", "\0two, and more");
  await page.reload();
  await desk.file("image.bin").locator(".file-body").waitFor({ state: "visible" });
  assert.equal(await box("image.bin").isChecked(), false);
  assert.ok(await box("src/http.rs").isChecked());
});
