// Measures how soon the search shows its list after a key.
import { setTimeout as sleep } from "node:timers/promises";

const QUERIES = ["retry budget", "cache eviction", "the handler", "status:open limit", '"rate limit"', "src/main", "author:mira", "connection -flaky", "timeout kind:review"];
const PAUSE = 60;
const TIMEOUT = 30_000;

// Records for each key when its list is drawn: a message that is posted before the frame is drawn arrives after it.
const observeKeys = (page) =>
  page.evaluate(() => {
    window.keys = [];
    const box = document.querySelector("dialog.search-box");
    const input = box.querySelector("input[type=search]");
    let pressed = 0;
    const shown = (text) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        if (pressed) window.keys.push([performance.now() - pressed, text]);
        pressed = 0;
      };
      port2.postMessage(null);
    };
    input.addEventListener("keydown", () => (pressed = performance.now()), true);
    const observer = new MutationObserver(() => {
      const text = input.value;
      if (!box.hasAttribute("aria-busy")) requestAnimationFrame(() => shown(text));
    });
    observer.observe(box, { attributes: true, attributeFilter: ["aria-busy"] });
  });

const count = (page) => page.evaluate(() => window.keys.length);

async function press(page, key) {
  const before = await count(page);
  await page.keyboard.press(key === " " ? "Space" : key);
  const deadline = Date.now() + TIMEOUT;
  while ((await count(page)) === before) {
    if (Date.now() > deadline) throw new Error(`no answer to ${key}`);
    await sleep(2);
  }
  await sleep(PAUSE);
}

// Returns the milliseconds from each key to the frame with the list for the text in the field.
export async function keys(page) {
  await page.keyboard.press("/");
  await page.locator("dialog.search-box .result").waitFor();
  await observeKeys(page);
  for (const query of QUERIES) {
    await page.locator("dialog.search-box input[type=search]").fill("");
    await sleep(300);
    for (const key of query) await press(page, key);
  }
  const measured = await page.evaluate(() => window.keys);
  const slowest = [...measured].sort(([a], [b]) => b - a).slice(0, 5);
  console.error(`slowest keys: ${slowest.map(([time, text]) => `${Math.round(time)} ms "${text}"`).join(", ")}`);
  return measured.map(([time]) => time);
}
