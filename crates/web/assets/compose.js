// Text fields for a comment on lines or a file, a reply, or an edit.
import { onAction, perform } from "./actions.js";
import { post } from "./api.js";
import { h, shownText } from "./html.js";
import { allTexts, deleteText, onOtherTabChange, saveText } from "./unsent_storage.js";
import { findLines, rowAt, section, textAt } from "./lines.js";
import { reveal } from "./files.js";
import { refresh } from "./refresh.js";
import { send } from "./send.js";
import { showError, toast } from "./toast.js";

const open = new Map();

// Opens a field; `about` is the thing that is commented on, which is stored with the text under a key.
export function compose(about, text = "", focus = true, key = keyOf(about)) {
  const known = open.get(key);
  if (known?.element.isConnected) {
    reveal(known.element);
    if (focus) known.area.focus();
    return known;
  }
  const composer = { about, key };
  build(composer, text);
  open.set(key, composer);
  if (!attach(composer)) {
    open.delete(key);
    return null;
  }
  reveal(composer.element);
  if (focus) composer.area.focus();
  return composer;
}

// Lines can move while the user writes, so the key of a comment on lines does not contain them.
function keyOf(about) {
  if (about.kind === "reply") return `reply:${about.thread}`;
  if (about.kind === "edit") return `edit:${about.thread}:${about.comment}`;
  if (about.kind === "file") return `file:${about.path}`;
  const same = (one) => one.kind === "new" && one.path === about.path && one.from === about.from && one.to === about.to;
  return [...open.values()].find((one) => same(one.about))?.key ?? `new:${crypto.randomUUID()}`;
}

function build(composer, text) {
  const { about } = composer;
  const area = h("textarea", { "aria-label": label(about), placeholder: about.declines ? "What is left to do? The thread stays open." : "Markdown", rows: 3 });
  area.value = text;
  area.addEventListener("input", () => {
    composer.typed = true;
    saveText(composer.key, { ...composer.about, text: area.value });
  });
  area.addEventListener("keydown", (event) => handleKey(composer, event));
  composer.area = area;
  composer.message = h("div", { class: "message", role: "status", hidden: true });
  const fresh = about.kind === "new" || about.kind === "file";
  const drafts = Boolean(document.getElementById("submit"));
  const buttons = fresh
    ? [button(composer, "Comment", {}, !drafts), button(composer, "Add to review", { draft: true }, drafts)]
    : [button(composer, about.kind === "edit" ? "Save" : "Reply", {}, true)];
  if (about.kind === "reply") buttons.push(button(composer, "Reply and resolve", { resolve: true }));
  const suggest = about.kind === "new" ? h("button", { type: "button", onclick: () => insertSuggestion(composer) }, "Suggest a change") : null;
  const cancel = h("button", { type: "button", class: "link", onclick: () => discard(composer) }, "Cancel");
  composer.buttons = buttons;
  composer.aboutLine = h("span", {}, title(about));
  const head = fresh ? h("div", { class: "about" }, composer.aboutLine) : null;
  composer.element = h("div", { class: "composer" }, head, fresh ? newStoreNote() : null, area, composer.message, h("div", { class: "form-actions" }, ...buttons, suggest, h("span", { class: "spacer" }), cancel));
}

// Returns a note about the store that the first comment creates; the style sheet hides it once the store exists.
function newStoreNote() {
  const { newStore: store, git } = document.querySelector("header.top").dataset;
  if (!store) return null;
  const what = git === undefined ? "for the threads" : "for the threads, and keeps it out of git";
  return h("p", { class: "new-store" }, "No threads yet. This creates the folder ", h("code", {}, store), ` ${what}.`);
}

function label(about) {
  if (about.kind === "reply") return "Your reply";
  return about.kind === "edit" ? "Your comment" : `Comment on ${title(about)}`;
}

function title({ kind, path, from, to }) {
  const name = shownText(path ?? "");
  if (kind !== "new") return name;
  return from === to ? `${name}:${from}` : `${name}:${from}-${to}`;
}

function button(composer, name, how, main) {
  return h("button", { type: "button", class: main ? "main" : false, onclick: () => send(composer, how) }, name);
}

function handleKey(composer, event) {
  if (event.key === "Escape") {
    event.preventDefault();
    event.stopPropagation();
    if (composer.area.value.trim()) composer.area.blur();
    else discard(composer);
  }
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  const chosen = event.shiftKey ? composer.buttons[1] : composer.buttons.find((one) => one.classList.contains("main"));
  (chosen ?? composer.buttons[0]).click();
}

// Inserts a field at its location; returns false if that is not on the page.
function attach(composer) {
  const { about, element } = composer;
  if (about.kind === "reply" || about.kind === "edit") {
    const thread = document.getElementById(`t-${about.thread}`);
    const comment = about.kind === "edit" && thread?.querySelector(`[data-comment="${CSS.escape(about.comment)}"]`);
    const slot = about.kind === "edit" ? comment?.querySelector(".slot") : thread?.querySelector("details > .slot");
    slot?.append(element);
    return Boolean(slot);
  }
  const file = section(about.path);
  // Only the current files can be commented on, and not every comparison shows them.
  if (!file?.querySelector("table.open, [data-act=comment-file]")) return false;
  if (about.kind === "file") {
    file.querySelector(".file-body > .slot").append(element);
    return true;
  }
  return attachToLines(composer, file);
}

// Finds the lines by their text: they may have moved while the user wrote.
function attachToLines(composer, file) {
  const { about } = composer;
  const fold = foldOf(file, about);
  if (fold) {
    // The field is inserted when the lines are loaded, which are requested once.
    if (!(file.dataset.myOpen ?? "").split(" ").includes(`${fold.dataset.from}-${fold.dataset.to}`)) perform("unfold", fold);
    return false;
  }
  if (typeof about.expect === "string" && textAt(file, about.from, about.to) !== about.expect) {
    const from = findLines(file, about);
    if (from === null) note(composer, "These lines were changed while you were writing.");
    else {
      note(composer, `These lines have moved: line ${about.from} is now line ${from}.`);
      about.to += from - about.from;
      about.from = from;
      composer.aboutLine.textContent = title(about);
      if (composer.typed) saveText(composer.key, { ...about, text: composer.area.value });
    }
  }
  const row = rowAt(file, about.to);
  if (!row) return false;
  const span = row.querySelectorAll(":scope > td").length;
  const holder = h("tr", { class: "writing" }, h("td", { colspan: span }, composer.element));
  const after = row.nextElementSibling?.classList.contains("thread-row") ? row.nextElementSibling : row;
  after.after(holder);
  return true;
}

export function foldOf(file, { from, to }) {
  const hides = ({ dataset }) => Number(dataset.from) <= to && from <= Number(dataset.to);
  return [...file.querySelectorAll("[data-act=unfold]")].find(hides);
}

// Removes the fields between lines while the lines change, and inserts them again.
export function keepComposers(root, change) {
  const shown = [...open.values()].filter(({ element, detached }) => detached || root.contains(element));
  for (const composer of shown) {
    if (composer.detached) composer.element.remove();
    composer.element.closest("tr.writing")?.remove();
  }
  change();
  for (const composer of shown) {
    if (composer.element.isConnected) continue;
    const lost = composer.detached;
    composer.detached = !attach(composer);
    composer.element.toggleAttribute("data-mine", composer.detached);
    if (composer.detached) showDetached(composer);
    else if (lost) composer.message.hidden = true;
  }
}

// Shows a field whose location is not on the page.
function showDetached(composer) {
  const file = section(composer.about.path);
  const what = composer.about.thread ? "This thread is" : "These lines are";
  note(composer, `${what} not on the page any more. Your text is kept.`);
  (file?.querySelector(".file-body > .slot") ?? document.getElementById("main")).prepend(composer.element);
}

// Opens the fields of unsent texts, and returns those without a location on this page.
export function restoreUnsentTexts() {
  if (document.body.hasAttribute("data-read-only")) return [];
  const closed = allTexts().filter(([key]) => !open.get(key)?.element.isConnected);
  // A form has a page of its own, and fills itself.
  return closed.filter(([key, { text, ...about }]) => about.kind === "form" || !compose(about, text, false, key));
}

// Another tab changed or sent the same text. A field that has the focus keeps its own, if it is another one.
onOtherTabChange((key, value, before) => {
  const composer = open.get(key);
  if (!composer || (document.activeElement === composer.area && composer.area.value !== before?.text)) return;
  if (value) composer.area.value = value.text;
  else removeComposer(composer);
});

export function note(composer, text, ...more) {
  composer.message.hidden = false;
  composer.message.replaceChildren(text, ...more);
}

function discard(composer) {
  const text = composer.area.value;
  close(composer);
  if (!text.trim()) return;
  const undo = () => {
    saveText(composer.key, { ...composer.about, text });
    const known = compose(composer.about, text, true, composer.key);
    if (!known) toast("Its location is not on this page.", { hint: "The text is kept." });
  };
  toast("Comment discarded.", { action: "Undo", onClick: undo });
}

export function close(composer) {
  deleteText(composer.key);
  removeComposer(composer);
}

function removeComposer(composer) {
  open.delete(composer.key);
  (composer.element.closest("tr.writing") ?? composer.element).remove();
}

// Inserts a block with the current lines, to be changed.
function insertSuggestion(composer) {
  const { about, area } = composer;
  const lines = about.expect ?? "";
  const ticks = Math.max(2, ...(lines.match(/`{3,}/g) ?? []).map((run) => run.length)) + 1;
  const fence = "`".repeat(ticks);
  const before = area.value && !area.value.endsWith("\n") ? "\n" : "";
  const start = area.value.length + before.length + fence.length + "suggestion\n".length;
  area.value += `${before}${fence}suggestion\n${lines}\n${fence}\n`;
  area.focus();
  area.setSelectionRange(start, start + lines.length);
  area.dispatchEvent(new Event("input"));
}

onAction("reply", (element) => {
  const thread = element.closest(".thread");
  compose({ kind: "reply", thread: thread.dataset.thread });
});

onAction("decline", (element) => {
  const thread = element.closest(".thread");
  compose({ kind: "reply", thread: thread.dataset.thread, declines: true });
});

onAction("edit", (element) => {
  const comment = element.closest(".comment");
  const was = comment.querySelector(".source").value;
  const thread = comment.closest(".thread").dataset.thread;
  compose({ kind: "edit", thread, comment: comment.dataset.comment, was }, was);
});

onAction("comment-file", (element) => compose({ kind: "file", path: element.closest(".file").dataset.path }));

onAction("submit", async (element) => {
  element.disabled = true;
  const answer = await post("/submit");
  element.disabled = false;
  if (!answer.ok) return showError(answer);
  const count = answer.data.threads?.length ?? 0;
  toast(count === 1 ? "Submitted 1 comment." : `Submitted ${count} comments.`, { hint: "Waiting agents were notified." });
  return refresh();
});
