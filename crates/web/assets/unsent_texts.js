// Lists unsent texts whose location is not on the page.
import { h, shownText } from "./html.js";
import { deleteText } from "./unsent_storage.js";
import { section } from "./lines.js";

export function showUnsentTexts(texts) {
  const box = document.getElementById("unsent-texts");
  // The location may be in code that is not loaded yet.
  box?.replaceChildren(...texts.filter(([, about]) => !section(about.path)?.hasAttribute("data-waits")).map(unsentText));
}

function locationOf({ kind, path, from, thread, form }) {
  if (kind === "form") return [`a ${form}`, `/work/new?kind=${form}`];
  if (thread) return ["a reply", `/thread/${encodeURIComponent(thread)}`];
  const name = shownText(path);
  return [kind === "new" ? `${name}:${from}` : name, `/file/${path.split("/").map(encodeURIComponent).join("/")}`];
}

function unsentText([key, { text, ...about }]) {
  const [name, address] = locationOf(about);
  const discard = () => {
    deleteText(key);
    element.remove();
  };
  const element = h(
    "details",
    { class: "unsent-text" },
    h("summary", {}, "Unsent: ", h("code", {}, name)),
    h("pre", { tabindex: 0 }, text),
    h("a", { href: address }, "Go to location"),
    h("button", { class: "link danger", onclick: discard }, "Discard"),
  );
  return element;
}
