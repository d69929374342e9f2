// Filters the tree of files or the list of threads by what is typed.
import { request } from "./api.js";
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

// Offers files of the workspace below the tree, changed or not: any of them can be looked at and commented on.
let asked = 0;
let offered = Promise.resolve();

async function offer() {
  const tree = document.getElementById("tree");
  const query = field()?.value.trim();
  if (!tree) return;
  const number = (asked += 1);
  const response = query ? await request(`/fragment/paths?q=${encodeURIComponent(query)}`).catch(() => null) : null;
  const page = new DOMParser().parseFromString(response?.ok ? await response.text() : "", "text/html");
  // Of several answers the one to the last question counts.
  if (number !== asked) return;
  const known = new Set([...tree.querySelectorAll(".leaf")].map((leaf) => leaf.dataset.path));
  for (const item of page.querySelectorAll("li")) if (known.has(item.textContent)) item.remove();
  document.getElementById("paths")?.remove();
  if (!page.querySelector("li")) return;
  tree.after(h("section", { id: "paths", "data-mine": "", "aria-label": "Other files" }, ...page.body.childNodes));
}

document.addEventListener("input", (event) => {
  if (event.target.id !== "filter") return;
  filter();
  offered = offer();
});
document.addEventListener("skein:fresh", filter);
document.addEventListener("keydown", async (event) => {
  if (event.target.id !== "filter") return;
  if (event.key === "Escape") {
    field().value = "";
    filter();
    offered = offer();
    field().blur();
  }
  if (event.key !== "Enter") return;
  event.preventDefault();
  await offered;
  const first = document.querySelector("#tree .leaf:not([hidden]) a, .group:not([hidden]) .line:not([hidden]) a, #paths a");
  const path = field().value.trim();
  if (first) first.click();
  else if (path && document.getElementById("tree")) location.assign(`/file/${path.split("/").map(encodeURIComponent).join("/")}`);
  field().blur();
});
