// How soon an open page shows what others write, in a workspace that is served already.
//
//   node measure.mjs ADDRESS ROOT    prints {"comments": [MS…], "edits": [MS…]}
//
// A time is that from the end of a write to its text being on the page. The files are put back afterwards. Exits with 3 where there is no browser.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as rest } from "node:timers/promises";

const COMMENTS = 60;
const EDITS = 40;
const PATIENCE = 10_000;
const REST = 120;

const [address, root] = process.argv.slice(2);
const { Browser } = await import("./lib/browser.mjs").catch(() => process.exit(3));
const before = new Map();

function kept(path) {
  const file = join(root, path);
  if (!before.has(file)) before.set(file, readFileSync(file));
  return file;
}

// Notes the moment at which a text is in a part of the page.
const observe = (page, part, text) =>
  page.evaluate(
    ([part, text]) => {
      window.seen = new Promise((done) => {
        const look = () => {
          if (![...document.querySelectorAll(part)].some((one) => one.textContent.includes(text))) return;
          observer.disconnect();
          done(Date.now());
        };
        const observer = new MutationObserver(look);
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        look();
      });
    },
    [part, text],
  );

async function once(page, part, text, write) {
  await rest(REST);
  await observe(page, part, text);
  write();
  const written = Date.now();
  const late = rest(PATIENCE, null, { ref: false });
  const seen = await Promise.race([page.evaluate(() => window.seen), late]);
  if (seen === null) throw new Error(`not on the page: ${text}`);
  return seen - written;
}

async function comments(page) {
  const ids = await page.$$eval(".thread.open[data-thread]", (all) => all.map((one) => one.dataset.thread));
  const times = [];
  for (let round = 0; round < COMMENTS; round += 1) {
    const id = ids[(round * 7) % ids.length];
    const [text, at] = [`measured comment ${round}.`, new Date().toISOString()];
    const said = `\n<local-code-review-comment id="measured-${round}" author="Claude Code" createdAt="${at}"/>\n\n${text}\n`;
    const file = kept(`.code-review/threads/${id}.md`);
    times.push(await once(page, `.thread[data-thread="${id}"] .md`, text, () => appendFileSync(file, said)));
  }
  return times;
}

async function edits(page) {
  const loaded = (all) => all.filter((one) => one.querySelector("table.code")).map((one) => one.dataset.path);
  const paths = (await page.$$eval(".file:not([data-waits])", loaded)).filter((path) => existsSync(join(root, path)));
  const times = [];
  for (let round = 0; round < EDITS; round += 1) {
    const path = paths[round % paths.length];
    const [text, file] = [`// measured edit ${round}.`, kept(path)];
    const whole = `${text}\n${before.get(file)}`;
    times.push(await once(page, `.file[data-path="${path}"] td.t`, text, () => writeFileSync(file, whole)));
  }
  return times;
}

const browser = await Browser.launch().catch(() => process.exit(3));
try {
  const window = await browser.window({ entry: () => address, origin: new URL(address).origin });
  const { page } = await window.open();
  await page.waitForLoadState("networkidle").catch(() => {});
  // The stream is open by then.
  await rest(1_000);
  console.log(JSON.stringify({ comments: await comments(page), edits: await edits(page) }));
} finally {
  for (const [file, bytes] of before) writeFileSync(file, bytes);
  await browser.close();
}
