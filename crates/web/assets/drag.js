// Lines are chosen by their numbers: a click, a drag, or Shift and a click.
import { perform } from "./actions.js";
import { compose, foldOf } from "./compose.js";
import { around, numberOf, rowAt, rowsOf, textAt } from "./lines.js";

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
  pick(file, from.number, number);
});

document.addEventListener("pointermove", (event) => {
  if (!from) return;
  const row = document.elementFromPoint(event.clientX, event.clientY)?.closest("tr");
  if (!row || row.closest(".file") !== from.file || !numberOf(row)) return;
  last = { file: from.file, number: numberOf(row) };
  pick(from.file, from.number, last.number);
});

document.addEventListener("pointerup", () => {
  if (!from) return;
  const { file, number } = from;
  from = null;
  write(file, Math.min(number, last.number), Math.max(number, last.number));
});

document.addEventListener("pointercancel", () => {
  from = null;
  unpick();
});

export function pick(file, a, b) {
  const [first, end] = [Math.min(a, b), Math.max(a, b)];
  unpick();
  for (const row of rowsOf(file)) {
    if (numberOf(row) >= first && numberOf(row) <= end) row.setAttribute("data-my-picked", "");
  }
}

export function unpick() {
  for (const row of document.querySelectorAll("tr[data-my-picked]")) row.removeAttribute("data-my-picked");
}

export async function write(file, first, end) {
  unpick();
  const lines = { from: first, to: end };
  for (let fold = foldOf(file, lines); fold; fold = foldOf(file, lines)) {
    // What is hidden between the lines belongs to them too.
    const known = file.dataset.myOpen;
    await perform("unfold", fold);
    if (file.dataset.myOpen === known) break;
  }
  if (!rowAt(file, end)) return;
  const expect = textAt(file, first, end);
  compose({ kind: "new", path: file.dataset.path, ...lines, expect, near: around(file, first, end) });
}
