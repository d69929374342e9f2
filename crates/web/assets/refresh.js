// Brings the page up to date: the server says what it consists of, and only what is different is fetched.
import { updateTimes } from "./times.js";
import { request } from "./api.js";
import { anchored, revive } from "./compose.js";
import { compositionEnd } from "./input_method.js";
import { folds, load, watch } from "./files.js";
import { keep } from "./keep_position.js";
import { morph } from "./morph.js";
import { showUnsentTexts } from "./unsent_texts.js";

let running = null;
let next = null;

// A call during a refresh waits for the next one, which sees what was written before.
export function refresh() {
  if (!running) {
    running = once().finally(() => (running = null));
    return running;
  }
  next ??= running.catch(() => {}).then(() => {
    next = null;
    return refresh();
  });
  return next;
}

async function once() {
  const page = await fetched(location.pathname + location.search);
  if (!page) return;
  await compositionEnd();
  const stale = [];
  keep(() => {
    anchored(document, () => {
      for (const part of ["header.top", "[data-live]"]) {
        const [from, to] = [document.querySelector(part), page.querySelector(part)];
        if (!from || !to) continue;
        for (const section of to.querySelectorAll(".file[data-waits]")) {
          const old = document.getElementById(section.id);
          if (!old || old.hasAttribute("data-waits")) continue;
          // The code is here already: it stays until what is new has come.
          if (old.dataset.version !== section.dataset.version) stale.push(old);
          const stands = document.createElement("section");
          stands.dataset.key = old.dataset.key;
          stands.dataset.version = old.dataset.version;
          section.replaceWith(stands);
        }
        morph(from, to);
      }
    });
  });
  await Promise.all(stale.map((section) => load(section)));
  updateTimes();
  folds();
  watch();
  showUnsentTexts(revive());
  document.dispatchEvent(new Event("skein:fresh"));
}

async function fetched(address) {
  try {
    const response = await request(address, () => ({ headers: { "x-skein-live": "1" } }));
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (response.ok) return page;
    const said = page.querySelector(".empty");
    const main = document.getElementById("main");
    if (said && main && response.status === 404) anchored(main, () => main.replaceChildren(said));
  } catch {
    // The stream says that the server is away, and tells when it is back.
  }
  return null;
}
