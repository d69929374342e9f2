// Lines of code on the page.

export const section = (path) =>
  [...document.querySelectorAll(".file")].find((file) => file.dataset.path === path);

export const numberOf = (row) => Number(row?.querySelector("td.n.r[data-n]")?.dataset.n ?? 0);

export const rowsOf = (file) =>
  [...file.querySelectorAll("table.code tr")].filter((row) => row.querySelector("td.n.r[data-n]"));

export function rowAt(file, number) {
  return file.querySelector(`td.n.r[data-n="${number}"]`)?.closest("tr");
}

// Returns the text of a row, to find it after its element was reused for another line.
export function textsOf(row) {
  const text = [...row.querySelectorAll("td.t")].map((cell) => cell.textContent).join("\n");
  const cell = row.querySelector("td.n.r[data-n]") ?? row.querySelector("td.n[data-n]");
  return { text, number: Number(cell?.dataset.n ?? 0) };
}

// Returns the row of a file that shows a text, the nearest to a line number.
export function sameRow(file, { text, number }) {
  const distance = (row) => Math.abs(textsOf(row).number - number);
  const rows = [...file.querySelectorAll("table.code tr")].filter((row) => textsOf(row).text === text);
  return rows.reduce((best, row) => (!best || distance(row) < distance(best) ? row : best), null);
}

// Invisible characters are shown by their numbers; this returns the characters.
export function textOf(row) {
  const cell = [...row.querySelectorAll("td.t")].at(-1);
  if (!cell.querySelector("u")) return cell.textContent;
  const copy = cell.cloneNode(true);
  for (const hidden of copy.querySelectorAll("u")) {
    hidden.replaceWith(String.fromCodePoint(Number.parseInt(hidden.textContent.slice(3, -1), 16)));
  }
  return copy.textContent;
}

// Returns the text of some lines, or null if one of them is not on the page.
export function textAt(file, from, to) {
  const lines = [];
  for (let number = from; number <= to; number += 1) {
    const row = rowAt(file, number);
    if (!row) return null;
    lines.push(textOf(row));
  }
  return lines.join("\n");
}

const AROUND = 3;

// Returns the lines around some lines, to distinguish them from others with the same text.
export function neighbours(file, from, to) {
  const near = (number) => {
    const row = rowAt(file, number);
    return row ? textOf(row) : null;
  };
  const steps = Array.from({ length: AROUND }, (_, index) => index + 1);
  return [...steps.map((step) => near(from - step)), ...steps.map((step) => near(to + step))];
}

// Finds lines by their text and the lines around them; returns null if it is ambiguous.
//
// At least half of the lines around them must be the same: where the lines were deleted, others with the same text remain.
export function findLines(file, { expect, near = [] }) {
  const hasWords = (text) => text !== null && /[\p{L}\p{N}]/u.test(text);
  const known = near.some(hasWords) ? hasWords : (text) => text !== null;
  const least = near.filter(known).length / 2;
  const rows = rowsOf(file);
  const wanted = expect.split("\n");
  const places = [];
  for (const [index, row] of rows.entries()) {
    if (textOf(row) !== wanted[0]) continue;
    const run = rows.slice(index, index + wanted.length);
    const start = numberOf(row);
    const same = run.length === wanted.length && run.every((one, at) => numberOf(one) === start + at && textOf(one) === wanted[at]);
    if (!same) continue;
    const there = neighbours(file, start, start + wanted.length - 1);
    places.push({ start, alike: near.filter((text, at) => known(text) && text === there[at]).length });
  }
  const most = Math.max(...places.map(({ alike }) => alike));
  const best = places.filter(({ alike }) => alike === most);
  return best.length === 1 && most >= least ? best[0].start : null;
}
