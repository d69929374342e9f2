// Lines of code on the page.

export const section = (path) =>
  [...document.querySelectorAll(".file")].find((file) => file.dataset.path === path);

export const numberOf = (row) => Number(row?.querySelector("td.n.r[data-n]")?.dataset.n ?? 0);

export const rowsOf = (file) =>
  [...file.querySelectorAll("table.code tr")].filter((row) => row.querySelector("td.n.r[data-n]"));

export function rowAt(file, number) {
  return file.querySelector(`td.n.r[data-n="${number}"]`)?.closest("tr");
}

// What cannot be seen is shown by its number; here it is the character again.
export function textOf(row) {
  const cell = [...row.querySelectorAll("td.t")].at(-1);
  if (!cell.querySelector("u")) return cell.textContent;
  const copy = cell.cloneNode(true);
  for (const hidden of copy.querySelectorAll("u")) {
    hidden.replaceWith(String.fromCodePoint(Number.parseInt(hidden.textContent.slice(3, -1), 16)));
  }
  return copy.textContent;
}

// Returns the text of some lines; nothing where one of them is not on the page.
export function textAt(file, from, to) {
  const lines = [];
  for (let number = from; number <= to; number += 1) {
    const row = rowAt(file, number);
    if (!row) return null;
    lines.push(textOf(row));
  }
  return lines.join("\n");
}

// Finds the lines that have a text, the nearest to where they were.
export function find(file, text, from) {
  const rows = rowsOf(file);
  const wanted = text.split("\n");
  let best = null;
  for (const [index, row] of rows.entries()) {
    if (textOf(row) !== wanted[0]) continue;
    const run = rows.slice(index, index + wanted.length);
    const start = numberOf(row);
    const same = run.length === wanted.length && run.every((one, at) => numberOf(one) === start + at && textOf(one) === wanted[at]);
    if (same && (best === null || Math.abs(start - from) < Math.abs(best - from))) best = start;
  }
  return best;
}
