// Access: a printed address works once, and a cookie is valid for one start of the server.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { LOST_CONNECTION } from "../lib/faults.mjs";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const FAULTS = [LOST_CONNECTION, /status of (403|404)/, /MIME|EventSource/];

scene("the printed address works in one browser only, and leaves no token in its history", { path: null }, async ({ server, window, open }) => {
  const other = await open();
  for (const one of [window, other]) one.faults.expect(/status of 403/);
  const page = await window.context.newPage();
  assert.doesNotMatch(server.output, /token=/);
  await page.goto(server.address);
  assert.equal(page.url(), `${server.origin}/`);
  await page.locator("#files").waitFor();
  const late = await other.context.newPage();
  assert.equal((await late.goto(server.address)).status(), 403);
  await late.getByText("open the link that it prints").waitFor();
});

scene("credentials that an open page sends to another program on the port are useless", async ({ ui, page, window, server, workspace }) => {
  window.faults.expect(...FAULTS);
  await ui.number("src/cache.rs", 30).click();
  await page.keyboard.type("Written before.");
  await server.stop();
  const received = [];
  const otherProgram = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      received.push({ url: request.url, cookie: request.headers.cookie ?? "", body });
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ start: "made up by a stranger", page: "x", resume: "x" }));
    });
  });
  otherProgram.listen(Number(new URL(server.origin).port), "127.0.0.1");
  await once(otherProgram, "listening");
  await until(() => received.some(({ url }) => url === "/session"), "the page tries to resume with the other program");
  otherProgram.closeAllConnections();
  otherProgram.close();
  await server.start();
  for (const { cookie, body } of received) {
    const answer = await fetch(server.origin, { headers: { cookie } });
    assert.equal(answer.status, 403, "no cookie that was sent opens the page");
    if (!body) continue;
    const headers = { origin: server.origin, "content-type": "application/json" };
    const resumed = await fetch(`${server.origin}/session`, { method: "POST", headers, body });
    assert.equal(resumed.status, 403, "no proof that was sent is valid for another start");
  }
  // The new address shows the half-written text in this browser.
  await page.goto(await server.entry());
  await ui.area.waitFor();
  assert.equal(await ui.area.inputValue(), "Written before.");
  await ui.button("Comment").click();
  await ui.thread("Written before.").waitFor();
  assert.match(await workspace.skein("review", "list"), /Written before\./);
});

scene("an open page and bookmarks work after a restart", async ({ ui, page, window, server }) => {
  window.faults.expect(...FAULTS);
  await server.stop();
  await page.locator("#live", { hasText: "Not connected" }).waitFor();
  await server.start();
  await ui.connected();
  const bookmark = await window.context.newPage();
  assert.equal((await bookmark.goto(`${server.origin}/threads`)).status(), 200);
});

scene("keys in a link of others do not replace those of the page", { path: null }, async ({ window, server, workspace }) => {
  window.faults.expect(/status of 403/);
  const ui = await window.open("/");
  const { page } = ui;
  const refused = page.waitForResponse((response) => response.url() === `${server.origin}/session`);
  await page.goto("about:blank");
  await page.goto(`${server.origin}/#keys=wrong,99999999999999-wrong,`);
  assert.equal((await refused).status(), 403);
  assert.equal(page.url(), `${server.origin}/`);
  await ui.number("src/cache.rs", 30).click();
  await page.keyboard.type("Still written.");
  await ui.button("Comment").click();
  await ui.thread("Still written.").waitFor();
  assert.match(await workspace.skein("review", "list"), /Still written\./);
});
