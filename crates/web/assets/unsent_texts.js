// Unsent texts whose location is not on the page: the page of changes lists them, so that none is lost.
import { h } from "./html.js";
import { drop } from "./unsent_storage.js";
import { section } from "./lines.js";

export function showUnsentTexts(kept) {
  const box = document.getElementById("strays");
  // Code that is not loaded yet may have the place.
  box?.replaceChildren(...kept.filter(([, about]) => !section(about.path)?.hasAttribute("data-waits")).map(stray));
}

function place({ kind, path, from, thread, form }) {
  if (kind === "form") return [`a ${form}`, `/work/new?kind=${form}`];
  if (thread) return ["a reply", `/thread/${encodeURIComponent(thread)}`];
  return [kind === "new" ? `${path}:${from}` : path, `/file/${path.split("/").map(encodeURIComponent).join("/")}`];
}

function stray([key, { text, ...about }]) {
  const [name, address] = place(about);
  const discard = () => {
    drop(key);
    element.remove();
  };
  const element = h(
    "details",
    { class: "stray" },
    h("summary", {}, "Unsent: ", h("code", {}, name)),
    h("pre", { tabindex: 0 }, text),
    h("a", { href: address }, "Go to location"),
    h("button", { class: "link danger", onclick: discard }, "Discard"),
  );
  return element;
}
