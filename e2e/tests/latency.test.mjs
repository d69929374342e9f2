// How soon the page shows what others write, measured in the browser. Nothing is asserted about time.
import { appendFileSync } from "node:fs";
import { scene } from "../lib/scene.mjs";

const ROUNDS = 30;

// Records the time at which a text first appears on the page.
const observe = (page, text) =>
  page.evaluate((wanted) => {
    window.seen = new Promise((done) => {
      const check = () => {
        if (![...document.querySelectorAll(".md, td.t")].some((one) => one.textContent.includes(wanted))) return;
        observer.disconnect();
        done(Date.now());
      };
      const observer = new MutationObserver(check);
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  }, text);

// Records the time at which the next search result is drawn. It returns when the observer works: a key and an
// `evaluate` may otherwise reach the page in either order, and the result would be there before the observer.
const observeSearch = (page) =>
  page.evaluate(() => {
    const box = document.querySelector("dialog.search-box");
    window.seen = new Promise((done) => {
      const observer = new MutationObserver(() => {
        if (box.hasAttribute("aria-busy")) return;
        observer.disconnect();
        requestAnimationFrame(() => done(Date.now()));
      });
      observer.observe(box, { attributes: true, attributeFilter: ["aria-busy"] });
    });
  });

async function measure(page, write) {
  const times = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const text = `round ${round} of it`;
    await observe(page, text);
    write(text);
    const written = Date.now();
    times.push((await page.evaluate(() => window.seen)) - written);
  }
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))];
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, from the end of the write to the page, ${ROUNDS} times`;
}

scene("time until an answer that is appended to a thread file is shown", async ({ t, ui, page, workspace }) => {
  const file = workspace.path(workspace.threadFile(await ui.idOf(ui.thread("7f3a"))));
  const commentBlock = (text) => `\n<local-code-review-comment id="${text.replaceAll(" ", "-")}" author="Claude Code" createdAt="${new Date().toISOString()}"/>\n\n${text}\n`;
  t.diagnostic(await measure(page, (text) => appendFileSync(file, commentBlock(text))));
});

scene("time until a line that is appended to a source file is shown", async ({ t, page, workspace }) => {
  t.diagnostic(await measure(page, (text) => appendFileSync(workspace.path("src/cache.rs"), `// ${text}\n`)));
});

scene("time until the search results follow a key", async ({ t, page }) => {
  await page.keyboard.press("/");
  await page.locator("dialog.search-box .result").waitFor();
  const times = [];
  for (const key of "limit of open files") {
    await observeSearch(page);
    const pressed = Date.now();
    await page.keyboard.press(key === " " ? "Space" : key);
    times.push((await page.evaluate(() => window.seen)) - pressed);
  }
  times.sort((a, b) => a - b);
  t.diagnostic(`p50 ${times[Math.floor(times.length / 2)]} ms, longest ${times.at(-1)} ms, from the key to the list, ${times.length} keys`);
});
