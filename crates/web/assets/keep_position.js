// Changes the page, and keeps the scroll position, the cursor and the focus.
import { restoreCursor, saveCursor, VIEW_TOP } from "./cursor.js";
import { sameRow, textsOf } from "./lines.js";

export function keepPosition(change) {
  const place = savePosition();
  const cursor = saveCursor();
  const focus = document.activeElement;
  const range = typeof focus?.selectionStart === "number" ? [focus.selectionStart, focus.selectionEnd, focus.scrollTop] : null;
  change();
  restoreCursor(cursor);
  if (focus && focus !== document.body && focus.isConnected && document.activeElement !== focus) {
    focus.focus({ preventScroll: true });
    if (range) {
      focus.setSelectionRange(range[0], range[1]);
      focus.scrollTop = range[2];
    }
  }
  restorePosition(place);
}

function savePosition() {
  const focus = document.activeElement;
  const writes = focus?.closest?.(".composer");
  if (writes && isVisible(writes)) return { element: writes, top: top(writes) };
  if (window.scrollY === 0) return null;
  const element = topmostVisible();
  if (!element) return null;
  const row = element.closest("tr");
  return { element, top: top(element), ...(row ? textsOf(row) : {}), section: element.closest(".file") };
}

// Finds the topmost visible element level by level: elementFromPoint is slow on large pages.
function topmostVisible() {
  const first = (list) => [...list].find((one) => one.getBoundingClientRect().bottom > VIEW_TOP);
  // A file that is not loaded yet will change its height, so the element after it is the reference.
  const parts = "#main .file:not([data-waits]), #main .related .thread, #main .line";
  const part = [first(document.querySelectorAll(parts)), first(document.querySelectorAll(".file"))].find((one) => one && isVisible(one));
  if (!part?.matches(".file")) return part;
  const block = first(part.querySelectorAll(".file-body > .thread, .file-body > .chunk, .outside-threads .thread"));
  if (!block?.matches(".chunk")) return block ?? part.querySelector(".file-head");
  const row = first(block.querySelectorAll(":scope > table > tbody > tr"));
  if (!row) return block;
  return first(row.querySelectorAll(".thread, .composer")) ?? row;
}

function restorePosition(place) {
  if (!place) return;
  const { element, section } = place;
  let found = element.isConnected ? element : null;
  if (place.text && section?.isConnected) {
    // Rows are reused when lines are added above, so the line is found by its text.
    found = sameRow(section, place) ?? found;
  }
  if (!found) return;
  const moved = top(found) - place.top;
  if (Math.abs(moved) >= 1) window.scrollBy({ top: moved, behavior: "instant" });
}

const top = (element) => element.getBoundingClientRect().top;

function isVisible(element) {
  const box = element.getBoundingClientRect();
  return box.bottom > 0 && box.top < window.innerHeight;
}
