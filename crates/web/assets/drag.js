// Selects lines by their numbers: a click, a drag, or Shift and a click.
import { perform } from "./actions.js";
import { compose, foldOf } from "./compose.js";
import { neighbours, numberOf, rowAt, rowsOf, textAt } from "./lines.js";

let from = null;
let last = null;

const cell = (target) => target.closest?.("table.open td.n.r[data-n]");

document.addEventListener("pointerdown", (event) => {
  const hit = event.button === 0 && cell(event.target);
  if (!hit) return;
  event.preventDefault();
  const file = hit.closest(".file");
  const number = Number(hit.dataset.n);
  from = event.shiftKey && last?.file === file ? { file, number: last.number } : { file, number };
  last = { file, number };
  selectLines(file, from.number, number);
});

document.addEventListener("pointermove", (event) => {
  if (!from) return;
  const row = document.elementFromPoint(event.clientX, event.clientY)?.closest("tr");
  if (!row || row.closest(".file") !== from.file || !numberOf(row)) return;
  last = { file: from.file, number: numberOf(row) };
  selectLines(from.file, from.number, last.number);
});

document.addEventListener("pointerup", () => {
  if (!from) return;
  const { file, number } = from;
  from = null;
  commentOnLines(file, Math.min(number, last.number), Math.max(number, last.number));
});

document.addEventListener("pointercancel", () => {
  from = null;
  clearSelection();
});

export function selectLines(file, a, b) {
  const [first, end] = [Math.min(a, b), Math.max(a, b)];
  clearSelection();
  for (const row of rowsOf(file)) {
    if (numberOf(row) >= first && numberOf(row) <= end) row.setAttribute("data-my-picked", "");
  }
}

export function clearSelection() {
  for (const row of document.querySelectorAll("tr[data-my-picked]")) row.removeAttribute("data-my-picked");
}

export async function commentOnLines(file, first, end) {
  clearSelection();
  const lines = { from: first, to: end };
  for (let fold = foldOf(file, lines); fold; fold = foldOf(file, lines)) {
    // Folded lines in between belong to the selection.
    const known = file.dataset.myOpen;
    await perform("unfold", fold);
    if (file.dataset.myOpen === known) break;
  }
  if (!rowAt(file, end)) return;
  const expect = textAt(file, first, end);
  compose({ kind: "new", path: file.dataset.path, ...lines, expect, near: neighbours(file, first, end) });
}
