// The keyboard: every key and what it does, in one table that `?` shows.
import { onAction, perform } from "./actions.js";
import { cursor, lineAt, lines, mark, selectionStart } from "./cursor.js";
import { dialog } from "./dialog.js";
import { pick, unpick, write } from "./drag.js";
import { current, load, toggle } from "./files.js";
import { h } from "./html.js";
import { numberOf } from "./lines.js";
import { search } from "./search.js";

const KEYS = [
  ["j", "Next line, or next thread of a list", () => step(1)],
  ["k", "Line before, or thread before", () => step(-1)],
  ["J", "Take the next line too", () => extend(1)],
  ["K", "Take the line before too", () => extend(-1)],
  ["n", "Next thread", () => thread(1)],
  ["p", "Thread before", () => thread(-1)],
  ["]", "Next file", () => file(1)],
  ["[", "File before", () => file(-1)],
  ["c", "Comment on the line or lines", comment],
  ["C", "Comment on the file", () => on(near(), "[data-act=comment-file]")],
  ["r", "Reply to the thread", () => on(here(), "[data-act=reply]")],
  ["e", "Edit your last comment in it", () => on(here(), ".comment:last-of-type [data-act=edit], [data-act=edit]")],
  ["x", "Resolve or reopen the thread; close or reopen the step", () => on(here(), "[data-act=resolve], [data-act=reopen], [data-act=accept]") || on(cursor(), "[data-change=done], [data-change=reopen]")],
  ["A", "Accept an agent's proposal to resolve the thread", () => on(here(), "[data-act=accept]") || accept(cursor())],
  ["a", "Apply its suggestion, with a preview", () => on(here(), "[data-act=apply]")],
  ["y", "Copy a prompt or a brief for an agent", () => on(here(), "[data-act=prompt]") || on(document, "[data-act=prompt-all], [data-act=copy-brief]")],
  ["d", "Delete the thread, or drop the step; this can be undone", () => on(here(), "[data-act=delete]") || on(cursor(), "[data-change=drop]")],
  ["z", "Undo what was done last", () => [...document.querySelectorAll(".toast .undo")].at(-1)?.click()],
  ["v", "File was viewed", viewed],
  ["o", "Fold or unfold the thread or file", fold],
  ["u", "Unified or split", () => on(document, "[data-act=layout][aria-pressed=false]")],
  ["s", "Submit the review", () => on(document, "#submit")],
  ["/", "Search everything", search],
  ["f", "Filter, or open a file by its path", () => document.getElementById("filter")?.focus({ preventScroll: true })],
  ["t", "Threads", () => location.assign("/threads")],
  ["g", "Overview", () => location.assign("/overview")],
  ["G", "Other workspaces", () => perform("workspaces")],
  ["h", "Changes", () => location.assign("/")],
  ["w", "Work", () => location.assign("/work")],
  ["W", "Steps that are left", () => location.assign("/work/steps")],
  ["S", "Sessions", () => location.assign("/sessions")],
  ["?", "This list", help],
];
const OTHERS = [
  ["Ctrl Enter", "Send what you write"],
  ["Ctrl Shift Enter", "Send it the other way: as a draft, or resolving"],
  ["Enter", "Open what the cursor is on"],
  ["Ctrl K", "Search everything, also from a field"],
  ["Esc", "Leave a field; what is in it is kept"],
];

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
  if (event.target.closest("input:not([type=checkbox]), textarea, select, dialog")) return;
  if (event.key === "Escape") return clear();
  if (event.key === "Enter" && event.target === document.body) return enter();
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

function on(root, selector) {
  const found = root && [...root.querySelectorAll(selector)].at(-1);
  if (found) perform(found.dataset.act, found);
  return Boolean(found);
}

// Accepts the proposal of an entry of a list.
function accept(line) {
  if (line?.matches(".line[data-proposed]")) perform("accept", line);
}

// The file that the cursor is in, else the one that is looked at.
const near = () => cursor()?.closest(".file") ?? current();

function put(row, selectsFrom) {
  if (!row) return;
  // Enter is for what the cursor is on, and for no button that has the focus elsewhere.
  if (!row.contains(document.activeElement)) document.activeElement?.blur();
  mark(row, selectsFrom);
  row.scrollIntoView({ block: "nearest" });
  const { top, bottom } = row.getBoundingClientRect();
  if (top < 100) window.scrollBy(0, top - 140);
  if (bottom > window.innerHeight - 40) window.scrollBy(0, bottom - window.innerHeight + 80);
}

const follows = (one, other) => Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);

// Returns the index of the next element of a list, counted from the cursor in the order of the page.
function after(all, by) {
  const one = cursor();
  const at = all.indexOf(one);
  if (at >= 0) return at + by;
  const isBehind = (other) => (one ? follows(one, other) : other.getBoundingClientRect().top > 100);
  const next = all.findIndex(isBehind);
  if (by > 0) return next < 0 ? all.length : next;
  return (next < 0 ? all.length : next) - 1;
}

function step(by) {
  unpick();
  const all = lines();
  // Without a cursor the first line in sight is the one to start from, whichever way.
  const next = after(all, cursor() ? by : 1);
  put(all[Math.min(Math.max(next, 0), all.length - 1)]);
}

function extend(by) {
  const row = lineAt();
  if (!row || !numberOf(row)) return step(by);
  const from = selectionStart() ?? numberOf(row);
  const all = lines().filter((one) => numberOf(one) && one.closest(".file") === row.closest(".file"));
  const next = all[all.indexOf(row) + by];
  if (!next) return undefined;
  put(next, from);
  return pick(next.closest(".file"), from, numberOf(next));
}

function comment() {
  const row = lineAt();
  if (!row || !numberOf(row)) return undefined;
  const [a, b] = [selectionStart() ?? numberOf(row), numberOf(row)];
  mark(row);
  return row.closest("table").classList.contains("open") ? write(row.closest(".file"), Math.min(a, b), Math.max(a, b)) : undefined;
}

// Returns the thread that is meant: the one that the cursor is on, or the only one.
function here() {
  const one = cursor();
  if (one?.matches(".thread")) return one;
  const all = document.querySelectorAll(".thread");
  return all.length === 1 ? all[0] : null;
}

// Threads in the order of the page, and files that are not there yet but have some.
function stops() {
  const counted = new Set([...document.querySelectorAll("#tree .leaf:has(.count)")].map((leaf) => leaf.dataset.path));
  const waits = (one) => counted.has(one.dataset.path) && one.querySelector(".file-body").offsetParent !== null;
  const all = [...document.querySelectorAll(".thread, .file[data-waits]")];
  return all.filter((one) => (one.matches(".thread") ? one.offsetParent !== null : waits(one)));
}

async function thread(by) {
  const all = stops();
  if (!all.length) return;
  const stop = all[(after(all, by) + all.length) % all.length];
  if (stop.matches(".file")) await load(stop);
  const one = stop.matches(".file") ? [...stop.querySelectorAll(".thread")].at(by > 0 ? 0 : -1) : stop;
  if (one) choose(one);
}

function choose(one) {
  mark(one);
  one.focus({ preventScroll: true });
  const { top, bottom } = one.getBoundingClientRect();
  if (top < 100 || bottom > window.innerHeight) window.scrollBy(0, top - Math.max(110, window.innerHeight / 4));
}

function file(by) {
  const all = [...document.querySelectorAll(".file")];
  const next = all[all.indexOf(near()) + by];
  if (!next) return;
  document.activeElement?.blur();
  next.scrollIntoView({ block: "start" });
  mark(next);
}

function viewed() {
  const section = near();
  const box = section?.querySelector("input[data-act=viewed]");
  if (!box) return;
  // Its lines are folded away.
  mark(section);
  box.checked = !box.checked;
  perform("viewed", box);
}

function fold() {
  const details = cursor()?.matches(".thread") && cursor().querySelector("details");
  const section = near();
  if (details) details.open = !details.open;
  else if (section) {
    mark(section);
    toggle(section);
  }
}

function enter() {
  const at = cursor();
  (at?.querySelector(":scope > a, :scope > button") ?? at?.closest(".steps")?.querySelector("h2 a"))?.click();
  if (at?.closest("table")) comment();
}

function clear() {
  unpick();
  mark(null);
  document.querySelector("details.menu[open]")?.removeAttribute("open");
  document.activeElement?.blur();
}
