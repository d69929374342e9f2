// A dialog that Escape closes.
import { h } from "./html.js";

export function dialog(title, content, footer = []) {
  const close = h("button", { class: "icon", "aria-label": "Close", onclick: () => box.close() }, "×");
  const box = h("dialog", { "aria-label": title }, h("header", {}, h("h2", {}, title), close), h("div", { class: "in" }, ...content), footer.length ? h("footer", {}, ...footer) : null);
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => event.target === box && box.close());
  document.body.append(box);
  box.showModal();
  return box;
}
