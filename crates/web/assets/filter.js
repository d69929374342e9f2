// Filters the tree of files or the list of threads by what is typed.
import { h } from "./html.js";

const field = () => document.getElementById("filter");

function filter() {
  const words = (field()?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const takes = (text) => words.every((word) => text.toLowerCase().includes(word));
  for (const leaf of document.querySelectorAll("#tree .leaf")) leaf.hidden = !takes(leaf.dataset.path);
  for (const folder of document.querySelectorAll("#tree .folder")) folder.hidden = words.length > 0;
  for (const group of document.querySelectorAll(".group")) {
    const lines = [...group.querySelectorAll(".line")];
    for (const line of lines) line.hidden = !takes(line.textContent);
    group.hidden = lines.length > 0 && lines.every((line) => line.hidden);
  }
  none(words.length > 0 && document.querySelector(".group .line") && !document.querySelector(".group .line:not([hidden])"));
}

// Says so where nothing is left.
function none(is) {
  const note = document.getElementById("no-match");
  if (!is) return note?.remove();
  const text = `Nothing here has “${field().value.trim()}”; / searches everything.`;
  if (note) note.textContent = text;
  else document.getElementById("main")?.append(h("p", { id: "no-match", class: "quiet", role: "status", "data-mine": "" }, text));
  return undefined;
}

document.addEventListener("input", (event) => event.target.id === "filter" && filter());
document.addEventListener("skein:fresh", filter);
document.addEventListener("keydown", (event) => {
  if (event.target.id !== "filter") return;
  if (event.key === "Escape") {
    field().value = "";
    filter();
    field().blur();
  }
  if (event.key !== "Enter") return;
  event.preventDefault();
  const first = document.querySelector("#tree .leaf:not([hidden]) a, .group:not([hidden]) .line:not([hidden]) a");
  const path = field().value.trim();
  // Any file can be looked at and commented on, changed or not.
  if (first) first.click();
  else if (path && document.getElementById("tree")) location.assign(`/file/${path.split("/").map(encodeURIComponent).join("/")}`);
  field().blur();
});
