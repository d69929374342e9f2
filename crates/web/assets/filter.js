// Filters the tree of files or the list of threads.
import { request } from "./api.js";
import { h } from "./html.js";

const field = () => document.getElementById("filter");

function filter() {
  const words = (field()?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (text) => words.every((word) => text.toLowerCase().includes(word));
  for (const leaf of document.querySelectorAll("#tree .tree-file")) leaf.hidden = !matches(leaf.dataset.path);
  for (const folder of document.querySelectorAll("#tree .folder")) folder.hidden = words.length > 0;
  for (const group of document.querySelectorAll(".group")) {
    const lines = [...group.querySelectorAll(".line")];
    for (const line of lines) line.hidden = !matches(line.textContent);
    group.hidden = lines.length > 0 && lines.every((line) => line.hidden);
  }
  showNoMatch(words.length > 0 && document.querySelector(".group .line") && !document.querySelector(".group .line:not([hidden])"));
}

// Shows a note if nothing matches.
function showNoMatch(is) {
  const note = document.getElementById("no-match");
  if (!is) return note?.remove();
  const text = `Nothing on this page matches “${field().value.trim()}”; press / to search everything.`;
  if (note) note.textContent = text;
  else document.getElementById("main")?.append(h("p", { id: "no-match", class: "quiet", role: "status", "data-mine": "" }, text));
  return undefined;
}

// Suggests files of the workspace below the tree, changed or not.
let asked = 0;
let suggested = Promise.resolve();

async function suggestPaths() {
  const tree = document.getElementById("tree");
  const query = field()?.value.trim();
  if (!tree) return;
  const number = (asked += 1);
  const response = query ? await request(`/fragment/paths?q=${encodeURIComponent(query)}`).catch(() => null) : null;
  const page = new DOMParser().parseFromString(response?.ok ? await response.text() : "", "text/html");
  // Only the response to the last request is shown.
  if (number !== asked) return;
  const known = new Set([...tree.querySelectorAll(".tree-file a")].map((link) => link.title));
  for (const item of page.querySelectorAll("li")) if (known.has(item.textContent)) item.remove();
  document.getElementById("paths")?.remove();
  if (!page.querySelector("li")) return;
  tree.after(h("section", { id: "paths", "data-mine": "", "aria-label": "Other files" }, ...page.body.childNodes));
}

document.addEventListener("input", (event) => {
  if (event.target.id !== "filter") return;
  filter();
  suggested = suggestPaths();
});
document.addEventListener("skein:fresh", filter);
document.addEventListener("keydown", async (event) => {
  if (event.target.id !== "filter") return;
  if (event.key === "Escape") {
    field().value = "";
    filter();
    suggested = suggestPaths();
    field().blur();
  }
  if (event.key !== "Enter") return;
  event.preventDefault();
  await suggested;
  const first = document.querySelector("#tree .tree-file:not([hidden]) a, .group:not([hidden]) .line:not([hidden]) a, #paths a");
  const path = field().value.trim();
  if (first) first.click();
  else if (path && document.getElementById("tree")) location.assign(`/file/${path.split("/").map(encodeURIComponent).join("/")}`);
  field().blur();
});
