// Sends a text; on a conflict, the writer decides.
import { id, post } from "./api.js";
import { close, note } from "./compose.js";
import { h } from "./html.js";
import { refresh } from "./refresh.js";
import { toast } from "./toast.js";

export async function send(composer, how) {
  const { about, area } = composer;
  const body = area.value;
  if (!body.trim()) return note(composer, "Write something first.");
  setBusy(composer, true);
  const answer = await post(...requestFor(about, body, how));
  setBusy(composer, false);
  if (answer.ok) {
    close(composer);
    for (const text of answer.data.notes ?? []) toast(text);
    await refresh();
    // The writer may already be in another field.
    if (document.activeElement?.closest("input, textarea")) return undefined;
    return document.getElementById(`t-${answer.data.id ?? about.thread}`)?.focus({ preventScroll: true });
  }
  if (answer.status === 409 && answer.data.conflict) return showConflict(composer, how, answer.data);
  composer.message.classList.add("bad");
  return note(composer, h("b", {}, answer.data.error ?? "That did not work."), ` ${answer.data.hint ?? ""}`);
}

function requestFor(about, body, { draft = false, resolve = false }) {
  const thread = `/threads/${id(about.thread ?? "")}`;
  if (about.kind === "reply") return [`${thread}/reply`, { body, resolve }];
  if (about.kind === "edit") return [`${thread}/comments/${id(about.comment)}`, { was: about.was, body }];
  const lines = about.kind === "new" ? [about.from, about.to] : null;
  const expect = about.expect ?? undefined;
  return ["/threads", { path: about.path, lines, body, draft, expect: lines ? expect : undefined }];
}

// Shows both texts and lets the writer decide.
function showConflict(composer, how, { error, conflict: both }) {
  const { about } = composer;
  const edit = about.kind === "edit";
  const [old, now] = edit ? [composer.area.value, both.theirs] : [both.was, both.now];
  const side = (name, text) => h("div", {}, h("span", { class: "label" }, name), h("pre", { tabindex: 0 }, text ?? "(nothing)"));
  const again = () => {
    if (edit) about.was = both.theirs;
    else about.expect = both.now;
    composer.message.hidden = true;
    send(composer, how);
  };
  const shown = h("div", { class: "compare-columns" }, side(edit ? "Yours" : "When you started", old), side(edit ? "Theirs" : "Now", now));
  const anyway = h("button", { type: "button", onclick: again }, edit ? "Replace it with mine" : "Comment on the current lines");
  const take = edit ? h("button", { type: "button", onclick: () => (close(composer), refresh()) }, "Keep theirs") : null;
  note(composer, error, shown, anyway, " ", take ?? "");
}

function setBusy(composer, on) {
  for (const one of composer.buttons) one.disabled = on;
  // Text typed while the request is running would be lost.
  composer.area.readOnly = on;
  composer.element.toggleAttribute("aria-busy", on);
}
