// Updates the page: the server sends its outline with versions, and only changed parts are fetched.
import { announceNew } from "./announce.js";
import { updateTimes } from "./times.js";
import { request } from "./api.js";
import { keepComposers, restoreUnsentTexts } from "./compose.js";
import { compositionEnd } from "./input_method.js";
import { loadFile, observeUnloaded, updateFoldButtons } from "./files.js";
import { keepPosition } from "./keep_position.js";
import { morph } from "./morph.js";
import { showUnsentTexts } from "./unsent_texts.js";

let running = null;
let next = null;

// Refreshes the page. A call during a refresh returns the promise of the next one, which includes all writes before the call.
export function refresh() {
  if (!running) {
    running = refreshOnce().finally(() => (running = null));
    return running;
  }
  next ??= running.catch(() => {}).then(() => {
    next = null;
    return refresh();
  });
  return next;
}

async function refreshOnce() {
  const page = await fetchPage(location.pathname + location.search);
  if (!page) return;
  await compositionEnd();
  await announceNew(() => update(page));
  updateTimes();
  updateFoldButtons();
  observeUnloaded();
  showUnsentTexts(restoreUnsentTexts());
  document.dispatchEvent(new Event("skein:fresh"));
}

// Updates the elements, and loads the code of files that changed.
async function update(page) {
  const stale = [];
  keepPosition(() => {
    keepComposers(document, () => {
      for (const part of ["header.top", "[data-live]"]) {
        const [from, to] = [document.querySelector(part), page.querySelector(part)];
        if (!from || !to) continue;
        for (const section of to.querySelectorAll(".file[data-waits]")) {
          const old = document.getElementById(section.id);
          if (!old || old.hasAttribute("data-waits")) continue;
          // The loaded code stays until the new version is fetched.
          if (old.dataset.version !== section.dataset.version) stale.push(old);
          const placeholder = document.createElement("section");
          placeholder.dataset.key = old.dataset.key;
          placeholder.dataset.version = old.dataset.version;
          section.replaceWith(placeholder);
        }
        morph(from, to);
      }
    });
  });
  await Promise.all(stale.map((section) => loadFile(section)));
}

async function fetchPage(address) {
  try {
    const response = await request(address, () => ({ headers: { "x-skein-live": "1" } }));
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (response.ok) return page;
    const message = page.querySelector(".empty");
    const main = document.getElementById("main");
    if (message && main && response.status === 404) keepComposers(main, () => main.replaceChildren(message));
  } catch {
    // The event stream reports when the server is away and when it is back.
  }
  return null;
}
