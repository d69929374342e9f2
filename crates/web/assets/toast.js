// Short messages at the edge of the page.
import { h } from "./html.js";

const TIME = 8000;

export function toast(message, { hint, bad, action, onClick } = {}) {
  const box = document.getElementById("toasts");
  const element = h(
    "div",
    { class: bad ? "toast bad" : "toast" },
    // The two are separate sentences also for a screen reader and when they are copied.
    h("div", {}, message, hint ? h("span", { class: "unseen" }, ". ") : null, hint ? h("div", { class: "hint" }, hint) : null),
    action ? h("button", { class: "undo", onclick: () => (element.remove(), onClick()) }, action) : null,
    h("button", { class: "icon", "aria-label": "Close", onclick: () => element.remove() }, "×"),
  );
  box.append(element);
  while (box.children.length > 4) box.firstElementChild.remove();
  // Errors stay until they are closed.
  if (!bad) setTimeout(() => element.matches(":hover, :focus-within") || element.remove(), TIME);
  return element;
}

export function showError(answer) {
  const { error, hint } = answer.data ?? {};
  toast(error ?? "That did not work.", { hint, bad: true });
}
