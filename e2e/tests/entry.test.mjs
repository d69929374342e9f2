// Who is let in: an address opens once, and a cookie is good for one start of the server.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { scene } from "../lib/scene.mjs";
import { until } from "../lib/until.mjs";

const FAULTS = [/ERR_CONNECTION_REFUSED/, /ERR_INCOMPLETE_CHUNKED/, /ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/, /status of (403|404)/, /MIME|EventSource/];

scene("the address that is printed opens one browser, and leaves no token in its history", { path: null }, async ({ server, window, open }) => {
  const other = await open();
  for (const one of [window, other]) one.faults.expect(/status of 403/);
  const page = await window.context.newPage();
  assert.doesNotMatch(server.said, /token=/);
  await page.goto(server.address);
  assert.equal(page.url(), `${server.origin}/`);
  await page.locator("#files").waitFor();
  const late = await other.context.newPage();
  assert.equal((await late.goto(server.address)).status(), 403);
  await late.getByText("open the link that it prints").waitFor();
});

scene("what a stranger on the port gets from an open page is worth nothing", async ({ desk, page, window, server, workspace }) => {
  window.faults.expect(...FAULTS);
  await desk.number("src/cache.rs", 30).click();
  await page.keyboard.type("Written before.");
  await server.stop();
  const heard = [];
  const stranger = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      heard.push({ url: request.url, cookie: request.headers.cookie ?? "", body });
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ start: "made up by a stranger", page: "x", resume: "x" }));
    });
  });
  stranger.listen(Number(new URL(server.origin).port), "127.0.0.1");
  await once(stranger, "listening");
  await until(() => heard.some(({ url }) => url === "/session"), "the page asks the stranger to go on");
  stranger.closeAllConnections();
  stranger.close();
  await server.start();
  for (const { cookie, body } of heard) {
    const answer = await fetch(server.origin, { headers: { cookie } });
    assert.equal(answer.status, 403, "no cookie that was sent opens the page");
    if (!body) continue;
    const headers = { origin: server.origin, "content-type": "application/json" };
    const resumed = await fetch(`${server.origin}/session`, { method: "POST", headers, body });
    assert.equal(resumed.status, 403, "no proof that was sent is good for another start");
  }
  // Whoever opens the new address in this browser finds what was half-written.
  await page.goto(await server.entry());
  await desk.area.waitFor();
  assert.equal(await desk.area.inputValue(), "Written before.");
  await desk.button("Comment").click();
  await desk.thread("Written before.").waitFor();
  assert.match(await workspace.skein("review", "list"), /Written before\./);
});

scene("a page that is open goes on after a restart, and so do bookmarks", async ({ desk, page, window, server }) => {
  window.faults.expect(...FAULTS);
  await server.stop();
  await page.locator("#live", { hasText: "Not connected" }).waitFor();
  await server.start();
  await desk.connected();
  const bookmark = await window.context.newPage();
  assert.equal((await bookmark.goto(`${server.origin}/threads`)).status(), 200);
});
