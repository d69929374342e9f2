// The keyboard: every key and what it does, in one table that `?` shows.
import { act, perform } from "./acts.js";
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
  ["x", "Resolve or reopen the thread; close or reopen the step", () => on(here(), "[data-act=resolve], [data-act=reopen]") || on(cursor(), "[data-change=done], [data-change=reopen]")],
  ["a", "Apply its suggestion, with a preview", () => on(here(), "[data-act=apply]")],
  ["y", "Copy a prompt or a brief for an agent", () => on(here(), "[data-act=prompt]") || on(document, "[data-act=prompt-all], [data-act=copy-brief]")],
  ["d", "Delete the thread, or drop the step; this can be undone", () => on(here(), "[data-act=delete]") || on(cursor(), "[data-change=drop]")],
  ["z", "Undo what was done last", () => [...document.querySelectorAll(".toast .undo")].at(-1)?.click()],
  ["v", "File was viewed", viewed],
  ["o", "Fold or unfold the thread or file", fold],
  ["u", "Unified or split", () => on(document, "[data-act=layout][aria-pressed=false]")],
  ["s", "Submit the review", () => on(document, "#submit")],
  ["/", "Search everything", search],
  ["f", "Filter, or open a file by its path", () => document.getElementById("filter")?.focus()],
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

act("help", help);

function help() {
  const row = ([key, what]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what));
  dialog("Keyboard", [h("dl", { class: "keys" }, ...[...KEYS, ...OTHERS].map(row))]);
}

function on(root, selector) {
  const found = root && [...root.querySelectorAll(selector)].at(-1);
  if (found) perform(found.dataset.act, found);
  return Boolean(found);
}

const cursor = () => document.querySelector("[data-my-cursor]");

// Rows that can be walked over: lines of files that are not folded, or lines of a list.
function rows() {
  const lines = [...document.querySelectorAll("table.code tr")].filter((row) => row.querySelector("td.n[data-n]"));
  const shown = lines.filter((row) => row.closest(".file-body")?.offsetParent !== null);
  return shown.length ? shown : [...document.querySelectorAll(".list .line:not([hidden])")];
}

// The file that was gone to last, until somebody goes elsewhere: one at the end of the page does not get to its top.
let aimed = null;
for (const name of ["wheel", "pointerdown"]) addEventListener(name, () => (aimed = null), { passive: true });
const near = () => cursor()?.closest(".file") ?? (aimed?.isConnected ? aimed : current());

function put(row) {
  cursor()?.removeAttribute("data-my-cursor");
  if (!row) return;
  aimed = null;
  // Enter is for what the cursor is on, and for no button that has the focus elsewhere.
  if (!row.contains(document.activeElement)) document.activeElement?.blur();
  row.setAttribute("data-my-cursor", "");
  row.scrollIntoView({ block: "nearest" });
  const { top, bottom } = row.getBoundingClientRect();
  if (top < 100) window.scrollBy(0, top - 140);
  if (bottom > window.innerHeight - 40) window.scrollBy(0, bottom - window.innerHeight + 80);
}

function step(by) {
  unpick();
  held = null;
  const all = rows();
  const at = all.indexOf(cursor());
  const first = () => all.findIndex((row) => row.getBoundingClientRect().top > 100);
  const start = () => (aimed?.isConnected ? all.findIndex((row) => aimed.contains(row)) : -1);
  put(all[at < 0 ? Math.max(start() < 0 ? first() : start(), 0) : Math.min(Math.max(at + by, 0), all.length - 1)]);
}

let held = null;

function extend(by) {
  const row = cursor();
  if (!row || !numberOf(row)) return step(by);
  held ??= numberOf(row);
  const all = rows().filter((one) => numberOf(one) && one.closest(".file") === row.closest(".file"));
  const next = all[all.indexOf(row) + by];
  if (!next) return undefined;
  put(next);
  return pick(next.closest(".file"), held, numberOf(next));
}

function comment() {
  const row = cursor();
  if (!row || !numberOf(row)) return undefined;
  const [a, b] = [held ?? numberOf(row), numberOf(row)];
  held = null;
  return row.closest("table").classList.contains("open") ? write(row.closest(".file"), Math.min(a, b), Math.max(a, b)) : undefined;
}

// Returns the thread that is meant: the one chosen, the one in focus, or the only one.
function here() {
  const chosen = document.activeElement?.closest?.(".thread") ?? document.querySelector(".thread[data-my-current]");
  const all = document.querySelectorAll(".thread");
  return chosen ?? (all.length === 1 ? all[0] : null);
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
  const at = all.indexOf(here());
  const below = all.findIndex((one) => one.getBoundingClientRect().top > 100);
  const next = at < 0 ? (by > 0 ? Math.max(below, 0) : below < 0 ? all.length - 1 : below - 1) : at + by;
  const stop = all[(next + all.length) % all.length];
  if (stop.matches(".file")) await load(stop);
  const one = stop.matches(".file") ? [...stop.querySelectorAll(".thread")].at(by > 0 ? 0 : -1) : stop;
  if (one) choose(one);
}

function choose(one) {
  document.querySelector(".thread[data-my-current]")?.removeAttribute("data-my-current");
  one.setAttribute("data-my-current", "");
  one.focus({ preventScroll: true });
  const { top, bottom } = one.getBoundingClientRect();
  if (top < 100 || bottom > window.innerHeight) window.scrollBy(0, top - Math.max(110, window.innerHeight / 4));
}

function file(by) {
  const all = [...document.querySelectorAll(".file")];
  const next = all[all.indexOf(near()) + by];
  if (!next) return;
  next.scrollIntoView({ block: "start" });
  cursor()?.removeAttribute("data-my-cursor");
  aimed = next;
}

function viewed() {
  const box = near()?.querySelector("input[data-act=viewed]");
  if (!box) return;
  box.checked = !box.checked;
  perform("viewed", box);
}

function fold() {
  const one = here();
  const details = one?.contains(document.activeElement) && one.querySelector("details");
  if (details) details.open = !details.open;
  else if (near()) toggle(near());
}

function enter() {
  const at = cursor();
  (at?.querySelector(":scope > a, :scope > button") ?? at?.closest(".steps")?.querySelector("h2 a"))?.click();
  if (cursor()?.closest("table")) comment();
}

function clear() {
  unpick();
  held = null;
  cursor()?.removeAttribute("data-my-cursor");
  document.querySelector(".thread[data-my-current]")?.removeAttribute("data-my-current");
  document.querySelector("details.menu[open]")?.removeAttribute("open");
  document.activeElement?.blur();
}
