// Keyboard shortcuts, in one table that `?` shows.
import { onAction, perform } from "./actions.js";
import { changesAddress } from "./comparison.js";
import { cursor, lineAt, lines, selectionStart, setCursor } from "./cursor.js";
import { dialog } from "./dialog.js";
import { clearSelection, commentOnLines, selectLines } from "./drag.js";
import { currentFile, loadFile, toggleFile } from "./files.js";
import { h } from "./html.js";
import { numberOf } from "./lines.js";
import { search } from "./search.js";

const LAST_EDIT = ".comment:last-of-type [data-act=edit], [data-act=edit]";

const KEYS = [
  ["j", "Next line, or next thread of a list", () => moveLine(1)],
  ["k", "Previous line, or previous thread of a list", () => moveLine(-1)],
  ["J", "Extend the selection to the next line", () => extendSelection(1)],
  ["K", "Extend the selection to the previous line", () => extendSelection(-1)],
  ["n", "Next thread", () => moveThread(1)],
  ["p", "Previous thread", () => moveThread(-1)],
  ["]", "Next file", () => moveFile(1)],
  ["[", "Previous file", () => moveFile(-1)],
  ["c", "Comment on the line or lines", comment],
  ["C", "Comment on the file", () => performIn(nearestFile(), "[data-act=comment-file]")],
  ["r", "Reply to the thread", () => performIn(currentThread(), "[data-act=reply]") || openThread("reply")],
  ["e", "Edit your last comment in it", () => performIn(currentThread(), LAST_EDIT) || openThread("edit")],
  ["x", "Resolve or reopen the thread; close or reopen the step", () => performIn(currentThread(), "[data-act=resolve], [data-act=reopen], [data-act=accept]") || performIn(cursor(), "[data-change=done], [data-change=reopen]") || settle(listedThread())],
  ["A", "Accept an agent's proposal to resolve the thread", () => performIn(currentThread(), "[data-act=accept]") || acceptProposal(cursor())],
  ["a", "Apply its suggestion, with a preview", () => performIn(currentThread(), "[data-act=apply]")],
  ["y", "Copy a prompt or a brief for an agent", () => performIn(currentThread(), "[data-act=prompt]") || performIn(document, "[data-act=prompt-all], [data-act=copy-brief]")],
  ["d", "Delete the thread, or drop the step; this can be undone", () => performIn(currentThread(), "[data-act=delete]") || performIn(cursor(), "[data-change=drop]") || drop(listedThread())],
  ["z", "Undo the last action", () => [...document.querySelectorAll(".toast .undo")].at(-1)?.click()],
  ["v", "Mark the file as viewed", toggleViewed],
  ["o", "Fold or unfold the thread or file", toggleFold],
  ["u", "Unified or split", () => performIn(document, "[data-act=layout][aria-pressed=false]")],
  ["s", "Submit the review", () => performIn(document, "#submit")],
  ["/", "Search everything", search],
  ["f", "Filter, or open a file by its path", () => document.getElementById("filter")?.focus({ preventScroll: true })],
  ["t", "Threads", () => location.assign("/threads")],
  ["g", "Overview", () => location.assign("/overview")],
  ["G", "Other workspaces", () => perform("workspaces")],
  ["h", "Changes", () => location.assign(changesAddress())],
  ["w", "Work", () => location.assign("/work")],
  ["W", "Open steps", () => location.assign("/work/steps")],
  ["S", "Sessions", () => location.assign("/sessions")],
  ["?", "This list", help],
];
const OTHERS = [
  ["Ctrl Enter", "Send the text"],
  ["Ctrl Shift Enter", "Send as a draft, or reply and resolve"],
  ["Enter", "Open what the cursor is on"],
  ["Ctrl K", "Search everything, also from a field"],
  ["Esc", "Leave a field; its text is kept"],
];

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
  if (event.target.closest("input:not([type=checkbox]), textarea, select, dialog")) return;
  if (event.key === "Escape") return clear();
  if (event.key === "Enter" && event.target.matches("body, tr")) return openAtCursor();
  const entry = KEYS.find(([key]) => key === event.key);
  if (!entry) return undefined;
  event.preventDefault();
  return entry[2]();
});

onAction("help", help);

function help() {
  const row = ([key, what]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what));
  dialog("Keyboard", [h("dl", { class: "keys" }, ...[...KEYS, ...OTHERS].map(row))]);
}

function performIn(root, selector) {
  const found = root && [...root.querySelectorAll(selector)].at(-1);
  if (found) perform(found.dataset.act, found);
  return Boolean(found);
}

// Accepts the proposal of an entry of a list.
function acceptProposal(line) {
  if (line?.matches(".line[data-proposed]")) perform("accept", line);
}

// Returns the entry of a list of threads under the cursor, if it can be changed.
function listedThread() {
  const one = cursor();
  return one?.matches(".line[data-thread]") && !document.body.hasAttribute("data-read-only") ? one : null;
}

function settle(line) {
  const { status } = line?.dataset ?? {};
  if (status === "resolved") perform("reopen", line);
  else if (status === "open") perform("resolve", line);
}

function drop(line) {
  if (line) perform("delete", line);
}

// Opens the page of a thread of a list with a field: the list has no place for one.
function openThread(what) {
  const line = listedThread();
  if (line) location.assign(`/thread/${encodeURIComponent(line.dataset.thread)}#${what}`);
}

// Opens the field that the address asks for. Unsent text has been restored before, so that the field shows it.
export function openRequestedField() {
  const what = { "#reply": "[data-act=reply]", "#edit": LAST_EDIT }[location.hash];
  if (!what) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  performIn(currentThread(), what);
}

// The file with the cursor, otherwise the visible one.
const nearestFile = () => cursor()?.closest(".file") ?? currentFile();

function moveCursor(row, selectsFrom) {
  if (!row) return;
  // Enter must act on the cursor, not on a focused button elsewhere.
  if (!row.contains(document.activeElement)) document.activeElement?.blur();
  // A line of code gets the focus, so that a screen reader reads it.
  if (row.matches("tr")) row.focus({ preventScroll: true });
  setCursor(row, selectsFrom);
  row.scrollIntoView({ block: "nearest" });
  const { top, bottom } = row.getBoundingClientRect();
  if (top < 100) window.scrollBy(0, top - 140);
  if (bottom > window.innerHeight - 40) window.scrollBy(0, bottom - window.innerHeight + 80);
}

const follows = (one, other) => Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);

// Returns the index of the next element of a list, counted from the cursor in the order of the page.
function nextIndex(all, by) {
  const one = cursor();
  const at = all.indexOf(one);
  if (at >= 0) return at + by;
  const isBehind = (other) => (one ? follows(one, other) : other.getBoundingClientRect().top > 100);
  const next = all.findIndex(isBehind);
  if (by > 0) return next < 0 ? all.length : next;
  return (next < 0 ? all.length : next) - 1;
}

// A file that was moved to may not be loaded yet.
async function loadFileAtCursor() {
  const file = cursor();
  if (file?.matches(".file[data-waits]")) await loadFile(file);
}

async function moveLine(by) {
  clearSelection();
  await loadFileAtCursor();
  const all = lines();
  // Without a cursor, start at the first visible line, in both directions.
  const next = nextIndex(all, cursor() ? by : 1);
  moveCursor(all[Math.min(Math.max(next, 0), all.length - 1)]);
}

function extendSelection(by) {
  const row = lineAt();
  if (!row || !numberOf(row)) return moveLine(by);
  const from = selectionStart() ?? numberOf(row);
  const all = lines().filter((one) => numberOf(one) && one.closest(".file") === row.closest(".file"));
  const next = all[all.indexOf(row) + by];
  if (!next) return undefined;
  moveCursor(next, from);
  return selectLines(next.closest(".file"), from, numberOf(next));
}

async function comment() {
  await loadFileAtCursor();
  const row = lineAt();
  if (!row || !numberOf(row)) return undefined;
  const [a, b] = [selectionStart() ?? numberOf(row), numberOf(row)];
  setCursor(row);
  return row.closest("table").classList.contains("open") ? commentOnLines(row.closest(".file"), Math.min(a, b), Math.max(a, b)) : undefined;
}

// Returns the thread under the cursor, or the only one.
function currentThread() {
  const one = cursor();
  if (one?.matches(".thread")) return one;
  const all = document.querySelectorAll(".thread");
  return all.length === 1 ? all[0] : null;
}

// Threads in the order of the page, and unloaded files that have some.
function threadStops() {
  const counted = new Set([...document.querySelectorAll("#tree .tree-file:has(.count)")].map((leaf) => leaf.dataset.path));
  const waits = (one) => counted.has(one.dataset.path) && one.querySelector(".file-body").offsetParent !== null;
  const all = [...document.querySelectorAll(".thread, .file[data-waits]")];
  return all.filter((one) => (one.matches(".thread") ? one.offsetParent !== null : waits(one)));
}

async function moveThread(by) {
  const all = threadStops();
  if (!all.length) return;
  const stop = all[(nextIndex(all, by) + all.length) % all.length];
  if (stop.matches(".file")) await loadFile(stop);
  const one = stop.matches(".file") ? [...stop.querySelectorAll(".thread")].at(by > 0 ? 0 : -1) : stop;
  if (one) focusThread(one);
}

function focusThread(one) {
  setCursor(one);
  one.focus({ preventScroll: true });
  const { top, bottom } = one.getBoundingClientRect();
  if (top < 100 || bottom > window.innerHeight) window.scrollBy(0, top - Math.max(110, window.innerHeight / 4));
}

function moveFile(by) {
  const all = [...document.querySelectorAll(".file")];
  const next = all[all.indexOf(nearestFile()) + by];
  if (!next) return;
  document.activeElement?.blur();
  next.scrollIntoView({ block: "start" });
  setCursor(next);
  loadFileAtCursor();
}

function toggleViewed() {
  const section = nearestFile();
  const box = section?.querySelector("input[data-act=viewed]");
  if (!box) return;
  // The lines of the file become hidden, so the file gets the cursor.
  setCursor(section);
  box.checked = !box.checked;
  perform("viewed", box);
}

function toggleFold() {
  const details = cursor()?.matches(".thread") && cursor().querySelector("details");
  const section = nearestFile();
  if (details) details.open = !details.open;
  else if (section) {
    setCursor(section);
    toggleFile(section);
  }
}

function openAtCursor() {
  const at = cursor();
  (at?.querySelector(":scope > a, :scope > button") ?? at?.closest(".steps")?.querySelector("h2 a"))?.click();
  if (at?.closest("table")) comment();
}

function clear() {
  clearSelection();
  setCursor(null);
  document.querySelector("details.menu[open]")?.removeAttribute("open");
  document.activeElement?.blur();
}
