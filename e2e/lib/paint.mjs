// Measures how soon pages are painted and loaded, in turns with another page.
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

const LOADS = 9;
const START_TIMEOUT = 60_000;
const PEER_PORT = 4977;

// Runs on the page before anything else: records when the frame with the first element is drawn. A message that is posted before the
// frame is drawn arrives after it.
const observeRow = (selector) => {
  window.firstRow = new Promise((done) => {
    const drawn = () => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(performance.now());
      port2.postMessage(null);
    };
    const observer = new MutationObserver(() => {
      if (!document.querySelector(selector)) return;
      observer.disconnect();
      requestAnimationFrame(drawn);
    });
    observer.observe(document, { childList: true, subtree: true });
  });
};

const firstPaint = () =>
  new Promise((done) => {
    const find = (entries) => entries.find(({ name }) => name === "first-contentful-paint");
    const observer = new PerformanceObserver((list) => {
      const entry = find(list.getEntries());
      if (!entry) return;
      observer.disconnect();
      done(entry.startTime);
    });
    observer.observe({ type: "paint", buffered: true });
  });

// Waits until the page is loaded, and the frame after that is drawn.
const loaded = () =>
  new Promise((done) => {
    const drawn = () => requestAnimationFrame(() => setTimeout(() => done(performance.now())));
    if (document.readyState === "complete") drawn();
    else addEventListener("load", drawn);
  });

// Returns the milliseconds from the start of the navigation until something is painted, until a row is, and until the whole page is loaded.
async function load(context, address, selector) {
  const page = await context.newPage();
  await page.addInitScript(observeRow, selector);
  await page.goto(address, { waitUntil: "commit" });
  const paint = await page.evaluate(firstPaint);
  const row = await page.evaluate(() => window.firstRow);
  const all = await page.evaluate(loaded);
  await page.close();
  return { paint, row, all };
}

// Starts difit, whose path is in the environment. It reads a diff from its input unless that is a terminal, so `script` gives it one.
async function startPeer(root) {
  const program = process.env.DIFIT;
  if (!program) return null;
  const command = `${program} . --no-open --mode inline --port ${PEER_PORT}`;
  const child = spawn("script", ["-qfc", command, "/dev/null"], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (bytes) => (output += bytes));
  const deadline = Date.now() + START_TIMEOUT;
  while (!/http:\/\/\S+:\d+/.test(output)) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`difit does not start: ${output}`);
    await sleep(50);
  }
  const address = `http://127.0.0.1:${output.match(/http:\/\/\S+?:(\d+)/)[1]}`;
  return { address, stop: () => child.kill("SIGHUP") };
}

// `window` is a window of Skein, `browser` the browser of Playwright. Without difit, its lists are empty.
export async function paints(window, browser, root) {
  const times = { paints: [], rows: [], peerPaints: [], peerRows: [] };
  const peer = await startPeer(root);
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 } });
  try {
    // It ends when its last page is closed. The first load of each warms the caches.
    if (peer) await (await context.newPage()).goto(peer.address);
    for (let turn = 0; turn <= LOADS; turn += 1) {
      const own = await load(window.context, `${window.server.origin}/`, "table.code tr");
      const other = peer && (await load(context, peer.address, "table tr td"));
      if (turn === 0) continue;
      times.paints.push(own.paint);
      times.rows.push(own.row);
      if (other) times.peerPaints.push(other.paint);
      if (other) times.peerRows.push(other.row);
    }
  } finally {
    await context.close();
    peer?.stop();
  }
  return times;
}

// Returns the times until the lists of threads of two servers are loaded, in turns.
export async function lists(few, many) {
  const times = { few: [], many: [] };
  for (let turn = 0; turn <= LOADS; turn += 1) {
    for (const [name, window] of Object.entries({ few, many })) {
      const { all } = await load(window.context, `${window.server.origin}/threads`, ".list .line");
      if (turn > 0) times[name].push(all);
    }
  }
  return times;
}
