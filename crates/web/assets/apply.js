// Applies a suggestion, after showing what it would do.
import { onAction } from "./actions.js";
import { get, id, post } from "./api.js";
import { dialog } from "./dialog.js";
import { h } from "./html.js";
import { refresh } from "./refresh.js";
import { showError, toast } from "./toast.js";

onAction("apply", async (element) => {
  const thread = element.closest(".thread").dataset.thread;
  const answer = await get(`/threads/${id(thread)}/apply`);
  if (!answer.ok) return showError(answer);
  return preview(thread, answer.data);
});

function preview(thread, { at, removed, added, token, outcome }) {
  const lines = (list, css, sign) => list.map((line) => h("div", { class: css }, `${sign} `, ...visible(line)));
  const settled = h("input", { type: "checkbox", id: "apply-resolve", checked: true });
  const isThere = outcome === "there already";
  const apply = h("button", { class: "main" }, isThere ? "Confirm" : "Apply");
  const box = dialog("Apply the suggestion", [
    isThere ? h("p", { class: "quiet" }, "The change is already in ", h("code", {}, at), ".") : h("p", { class: "quiet" }, "This changes ", h("code", {}, at), " in your files."),
    h("div", { class: "change" }, ...(isThere ? [] : lines(removed, "del", "−")), ...lines(added, "add", "+")),
  ], [h("label", { class: "viewed", for: "apply-resolve" }, settled, "Resolve the thread too"), h("span", { class: "spacer" }), apply]);
  apply.addEventListener("click", async () => {
    apply.disabled = true;
    const answer = await post(`/threads/${id(thread)}/apply`, { token, resolve: settled.checked });
    box.close();
    if (!answer.ok) return showError(answer);
    toast(isThere ? "Confirmed." : "Applied.");
    return refresh();
  });
  apply.focus();
}

// Shows invisible characters by their numbers, as in the code on the page: they could make a line look like another one.
function visible(line) {
  const parts = line.split(/([\0-\x08\x0a-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff])/u);
  return parts.map((part, index) => (index % 2 ? h("u", {}, `\\u{${part.codePointAt(0).toString(16)}}`) : part));
}
