// Changes the page such that what one looks at, and what one writes, stays where it is.

const UNDER_THE_HEADINGS = 96;

export function keep(change) {
  const place = mark();
  const focus = document.activeElement;
  const range = typeof focus?.selectionStart === "number" ? [focus.selectionStart, focus.selectionEnd, focus.scrollTop] : null;
  change();
  if (focus && focus !== document.body && focus.isConnected && document.activeElement !== focus) {
    focus.focus({ preventScroll: true });
    if (range) {
      focus.setSelectionRange(range[0], range[1]);
      focus.scrollTop = range[2];
    }
  }
  back(place);
}

function mark() {
  const focus = document.activeElement;
  const writes = focus?.closest?.(".composer");
  if (writes && inSight(writes)) return { element: writes, top: top(writes) };
  if (window.scrollY === 0) return null;
  const element = topmost();
  if (!element) return null;
  const row = element.closest("tr");
  return { element, top: top(element), text: row && text(row), number: row && number(row), section: element.closest(".file") };
}

// Finds what one reads first, level by level: to ask the browser what is at a point is slow where there is much.
function topmost() {
  const first = (list) => [...list].find((one) => one.getBoundingClientRect().bottom > UNDER_THE_HEADINGS);
  // A file that is not there yet will have another height, so that what follows it must hold still.
  const parts = "#main .file:not([data-waits]), #main .others .thread, #main .line";
  const part = [first(document.querySelectorAll(parts)), first(document.querySelectorAll(".file"))].find((one) => one && inSight(one));
  if (!part?.matches(".file")) return part;
  const block = first(part.querySelectorAll(".file-body > .thread, .file-body > table, .apart .thread"));
  if (!block?.matches("table")) return block ?? part.querySelector(".file-head");
  const row = first(block.rows);
  return first(row.querySelectorAll(".thread, .composer")) ?? row;
}

function back(place) {
  if (!place) return;
  const { element, section } = place;
  let found = element.isConnected ? element : null;
  if (place.text && section?.isConnected) {
    // Rows are filled anew where lines were added above, so that the line is looked for by its text.
    const rows = [...section.querySelectorAll("tr")].filter((row) => text(row) === place.text);
    const away = (row) => Math.abs(number(row) - place.number);
    found = rows.reduce((best, row) => (!best || away(row) < away(best) ? row : best), null) ?? found;
  }
  if (!found) return;
  const moved = top(found) - place.top;
  if (Math.abs(moved) >= 1) window.scrollBy({ top: moved, behavior: "instant" });
}

const top = (element) => element.getBoundingClientRect().top;
const text = (row) => [...row.querySelectorAll("td.t")].map((cell) => cell.textContent).join("\n");
const number = (row) => Number(row.querySelector("td.n.r[data-n]")?.dataset.n ?? row.querySelector("td.n[data-n]")?.dataset.n ?? 0);

function inSight(element) {
  const box = element.getBoundingClientRect();
  return box.bottom > 0 && box.top < window.innerHeight;
}
