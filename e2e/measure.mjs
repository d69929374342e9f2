// Measures how soon an open page shows what others write, and the search what it finds, in a workspace that is already served.
//
//   node measure.mjs ADDRESS ROOT COOKIE    prints {"comments": [MS…], "edits": [MS…], "keys": [MS…]}
//
// The time of a comment or edit is from the end of a write until its text is on the page; that of a key until its list is drawn. The files are restored afterwards. Exits with 3 if there is no browser.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { keys } from "./lib/keys.mjs";

const COMMENTS = 60;
const EDITS = 40;
const TIMEOUT = 10_000;
const PAUSE = 120;

const [address, root, cookie] = process.argv.slice(2);
const { Browser } = await import("./lib/browser.mjs").catch(() => process.exit(3));
const before = new Map();

function backUp(path) {
  const file = join(root, path);
  if (!before.has(file)) before.set(file, readFileSync(file));
  return file;
}

// Records the time at which a text appears in a part of the page.
const observe = (page, part, text) =>
  page.evaluate(
    ([part, text]) => {
      window.seen = new Promise((done) => {
        const check = () => {
          if (![...document.querySelectorAll(part)].some((one) => one.textContent.includes(text))) return;
          observer.disconnect();
          done(Date.now());
        };
        const observer = new MutationObserver(check);
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        check();
      });
    },
    [part, text],
  );

async function measureOnce(page, part, text, write) {
  await sleep(PAUSE);
  await observe(page, part, text);
  write();
  const written = Date.now();
  const timeout = sleep(TIMEOUT, null, { ref: false });
  const seen = await Promise.race([page.evaluate(() => window.seen), timeout]);
  if (seen === null) throw new Error(`not on the page: ${text}`);
  return seen - written;
}

async function comments(page) {
  const ids = await page.$$eval(".thread.open[data-thread]", (all) => all.map((one) => one.dataset.thread));
  const times = [];
  for (let round = 0; round < COMMENTS; round += 1) {
    const id = ids[(round * 7) % ids.length];
    const [text, at] = [`measured comment ${round}.`, new Date().toISOString()];
    const commentBlock = `\n<local-code-review-comment id="measured-${round}" author="Claude Code" createdAt="${at}"/>\n\n${text}\n`;
    const file = backUp(`.code-review/threads/${id}.md`);
    times.push(await measureOnce(page, `.thread[data-thread="${id}"] .md`, text, () => appendFileSync(file, commentBlock)));
  }
  return times;
}

async function edits(page) {
  const loaded = (all) => all.filter((one) => one.querySelector("table.code")).map((one) => one.dataset.path);
  const paths = (await page.$$eval(".file:not([data-waits])", loaded)).filter((path) => existsSync(join(root, path)));
  const times = [];
  for (let round = 0; round < EDITS; round += 1) {
    const path = paths[round % paths.length];
    const [text, file] = [`// measured edit ${round}.`, backUp(path)];
    const whole = `${text}\n${before.get(file)}`;
    times.push(await measureOnce(page, `.file[data-path="${path}"] td.t`, text, () => writeFileSync(file, whole)));
  }
  return times;
}

const browser = await Browser.launch().catch(() => process.exit(3));
try {
  const window = await browser.windowOf(address, cookie);
  const { page } = await window.open();
  await page.waitForLoadState("networkidle").catch(() => {});
  // The event stream is open by then.
  await sleep(1_000);
  const times = { comments: await comments(page), edits: await edits(page) };
  const overview = await window.open("/overview");
  console.log(JSON.stringify({ ...times, keys: await keys(overview.page) }));
} finally {
  for (const [file, bytes] of before) writeFileSync(file, bytes);
  await browser.close();
}
