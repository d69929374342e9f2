// Switches to another workspace: this server finds or starts the server of that workspace and returns a link.
import { onAction } from "./actions.js";
import { post, request } from "./api.js";
import { dialog } from "./dialog.js";
import { h } from "./html.js";
import { showError } from "./toast.js";

onAction("workspaces", async () => {
  const content = h("div", { class: "loading" }, "Loading…");
  const box = dialog("Workspaces", [content]);
  const response = await request("/fragment/workspaces").catch(() => null);
  if (!response?.ok) return location.assign("/workspaces");
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  content.replaceWith(...page.body.childNodes);
  return box.querySelector("button.to")?.focus();
});

onAction("switch", async (element) => {
  element.disabled = true;
  element.setAttribute("aria-busy", "true");
  const { root, path } = element.dataset;
  const answer = await post("/workspaces/open", path ? { root, page: path } : { root });
  element.disabled = false;
  element.removeAttribute("aria-busy");
  if (answer.ok) return location.assign(answer.data.address);
  return showError(answer);
});

// The arrow keys move through the list.
document.addEventListener("keydown", (event) => {
  const here = event.target.closest?.(".workspace-list button.to");
  const by = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
  if (!here || !by) return;
  event.preventDefault();
  const all = [...here.closest(".workspace-list").querySelectorAll("button.to")];
  all[Math.min(Math.max(all.indexOf(here) + by, 0), all.length - 1)].focus();
});
