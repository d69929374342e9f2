// The cursor: the one line, thread, list entry or file that keys act on. Keys, clicks, links, the focus and scrolling all move it.
import { numberOf, sameRow, textsOf } from "./lines.js";

// The first pixel that the headings at the top of the window leave free.
export const VIEW_TOP = 96;

let at = null;
// The number of the line where a selection by keys began.
let start = null;

export const cursor = () => (at?.isConnected ? at : null);
export const selectionStart = () => start;

export function setCursor(element, selectsFrom = null) {
  start = selectsFrom;
  if (element === at && element?.hasAttribute("data-my-cursor")) return;
  at?.removeAttribute("data-my-cursor");
  at = element;
  at?.setAttribute("data-my-cursor", "");
}

const isLine = (row) => row.querySelector(":scope > td.n[data-n]") !== null;

// Returns the elements that can hold the cursor: lines of files that are not folded, or entries of a list.
export function lines() {
  const shown = [...document.querySelectorAll(".file")].filter((file) => file.querySelector(".file-body")?.offsetParent);
  const rows = shown.flatMap((file) => [...file.querySelectorAll("table.code tr")].filter(isLine));
  return rows.length ? rows : [...document.querySelectorAll(".list .line:not([hidden])")];
}

// Returns the line that a comment on the cursor is for: its own, or the one above a thread.
export function lineAt() {
  const one = cursor();
  if (one?.matches("tr")) return one;
  if (one?.matches(".thread")) return lineAbove(one.closest("tr"));
  const isMeant = (row) => numberOf(row) && row.getBoundingClientRect().bottom > VIEW_TOP && (!one || one.contains(row));
  return lines().find(isMeant) ?? null;
}

function lineAbove(row) {
  let found = row?.previousElementSibling ?? null;
  while (found && !isLine(found)) found = found.previousElementSibling;
  return found;
}

// Returns the element that gets the cursor when an element is clicked or focused.
function cursorTarget(element) {
  const own = element.closest(".thread, .list .line");
  if (own) return own;
  const row = element.closest("table.code tr");
  return (row && (isLine(row) ? row : lineAbove(row))) ?? element.closest(".file");
}

function isVisible(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > VIEW_TOP && top < window.innerHeight;
}

// Keeps the cursor in the window when the page is scrolled.
let due = false;
function keepCursorInView() {
  if (due || !cursor()) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    const one = cursor();
    if (!one || isVisible(one)) return;
    const isAbove = one.getBoundingClientRect().bottom <= VIEW_TOP;
    const all = lines();
    const below = (limit) => partitionPoint(all, (row) => row.getBoundingClientRect().top < limit);
    const next = isAbove ? all[below(VIEW_TOP)] : all[below(window.innerHeight - 20) - 1];
    setCursor(next && isVisible(next) ? next : null);
  });
}

// Returns how many of the first elements of an ordered list pass.
function partitionPoint(list, passes) {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (passes(list[middle])) from = middle + 1;
    else to = middle;
  }
  return from;
}

// Describes the cursor position, so that it survives when elements are reused for other lines.
export function saveCursor() {
  const one = cursor();
  if (!one) return null;
  const row = one.matches("tr") ? one : lineAbove(one.closest("tr"));
  return { one, start, row, file: one.closest(".file"), ...(row ? textsOf(row) : {}) };
}

export function restoreCursor(place) {
  if (!place || cursor() !== (place.one.isConnected ? place.one : null)) return;
  const { one, file, row } = place;
  if (one.isConnected && !one.matches("tr")) return;
  const same = row && file?.isConnected ? sameRow(file, place) : null;
  setCursor(same ?? (file?.isConnected ? file : null), same ? place.start : null);
}

function followHash(hash) {
  const target = hash.length > 1 && document.getElementById(decodeURIComponent(hash.slice(1)));
  if (target?.matches?.(".file, .thread, .line, tr")) setCursor(target);
}

export function trackCursor() {
  addEventListener("scroll", keepCursorInView, { passive: true });
  addEventListener("hashchange", () => followHash(location.hash));
  document.addEventListener("pointerdown", ({ target }) => {
    const found = cursorTarget(target);
    if (found) setCursor(found);
  });
  document.addEventListener("focusin", ({ target }) => {
    const found = target.closest(".thread, .list .line");
    if (found) setCursor(found);
  });
  document.addEventListener("click", ({ target }) => {
    const link = target.closest?.('a[href^="#"]');
    if (link) followHash(link.hash);
  });
  followHash(location.hash);
}
