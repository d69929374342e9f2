// Short messages at the edge of the page.
import { h } from "./html.js";

const TIME = 8000;

export function toast(message, { hint, bad, action, does } = {}) {
  const box = document.getElementById("toasts");
  const element = h(
    "div",
    { class: bad ? "toast bad" : "toast" },
    h("div", {}, message, hint ? h("div", { class: "hint" }, hint) : null),
    action ? h("button", { class: "undo", onclick: () => (element.remove(), does()) }, action) : null,
    h("button", { class: "icon", "aria-label": "Close", onclick: () => element.remove() }, "×"),
  );
  box.append(element);
  while (box.children.length > 4) box.firstElementChild.remove();
  // What went wrong stays until it was read.
  if (!bad) setTimeout(() => element.matches(":hover, :focus-within") || element.remove(), TIME);
  return element;
}

export function trouble(answer) {
  const { error, hint } = answer.data ?? {};
  toast(error ?? "That did not work.", { hint, bad: true });
}
