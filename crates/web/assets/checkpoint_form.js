// The form for a checkpoint or a handoff: unsent text is stored, and errors are shown next to their fields.
import { onAction } from "./actions.js";
import { id, post } from "./api.js";
import { h } from "./html.js";
import { allTexts, deleteText, onOtherTabChange, saveText } from "./unsent_storage.js";
import { toast } from "./toast.js";

const form = document.querySelector("form[data-form]");
const kind = form?.dataset.form;
const key = `form:${kind}`;
const fields = () => [...(form?.elements ?? [])].filter((field) => field.name);

if (form && !document.body.hasAttribute("data-read-only")) {
  // The user may have typed before this script was loaded.
  const typed = fields().filter((field) => field.value);
  fillForm(allTexts().find(([name]) => name === key)?.[1], typed);
  if (typed.length) saveForm();
  form.addEventListener("input", saveForm);
  form.addEventListener("change", saveForm);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submitForm();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    submitForm();
  });
  // Another tab changed or sent the same form. A form that has the focus keeps its own text.
  onOtherTabChange((name, value) => {
    if (name === key && !form.contains(document.activeElement)) fillForm(value);
  });
}

function fillForm(kept, except = []) {
  const texts = kept?.fields ?? {};
  for (const field of fields()) if (!except.includes(field)) field.value = texts[field.name] ?? "";
  const more = form.querySelector("details.more");
  if (fields().some((field) => more.contains(field) && field.value)) more.open = true;
}

function saveForm() {
  const texts = Object.fromEntries(fields().map(({ name, value }) => [name, value]));
  const text = Object.values(texts).filter((value) => value.trim()).join("\n");
  saveText(key, { kind: "form", form: kind, fields: texts, text });
}

const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

function formData() {
  const value = (name) => form.elements[name]?.value ?? "";
  const optional = (name) => value(name).trim() || undefined;
  const work = {
    summary: value("summary"),
    title: optional("title"),
    steps: lines(value("steps")),
    tags: value("tags").split(",").map((tag) => tag.trim()).filter(Boolean),
    files: lines(value("files")),
  };
  if (kind === "handoff") return work;
  const worker = ["id", "skill", "state"].map((name) => [name, optional(`worker-${name}`)]);
  const named = worker.some(([, text]) => text);
  return { ...work, slug: optional("slug"), worker: named ? { id: "", ...Object.fromEntries(worker.filter(([, text]) => text)) } : undefined };
}

async function submitForm() {
  const button = form.querySelector("button[type=submit]");
  if (button.disabled) return;
  clearErrors();
  if (!form.elements.summary.value.trim()) {
    showFieldError({ field: "summary", error: "Enter a summary first." });
    return;
  }
  setBusy(button, true);
  const answer = await post(kind === "handoff" ? "/handoffs" : "/checkpoints", formData());
  setBusy(button, false);
  if (!answer.ok) {
    showFieldError(answer.data);
    return;
  }
  deleteText(key);
  sessionStorage.setItem("skein:notes", JSON.stringify([kind === "handoff" ? "Handed over." : "Saved.", ...answer.data.notes]));
  location.assign(`/work/${id(answer.data.id)}`);
}

function setBusy(button, on) {
  button.disabled = on;
  // Text typed while the request is running would be lost.
  for (const field of fields()) field.readOnly = on;
}

function clearErrors() {
  for (const error of form.querySelectorAll(".error")) error.hidden = true;
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  form.querySelector(".message").hidden = true;
}

// Shows an error next to its field, otherwise above the button.
function showFieldError({ field, error, hint }) {
  const box = field && form.querySelector(`[data-field="${field}"]`);
  const place = box ? box.querySelector(".error") : form.querySelector(".message");
  const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
  place.replaceChildren(h("b", {}, error ? sentence(error) : "That did not work."), hint ? ` ${sentence(hint)}` : "");
  place.hidden = false;
  if (!box) return;
  const details = box.closest("details");
  if (details) details.open = true;
  const at = box.querySelector("textarea, input, select");
  at.setAttribute("aria-invalid", "true");
  at.focus();
}

onAction("clear-form", () => {
  const kept = Object.fromEntries(fields().map(({ name, value }) => [name, value]));
  for (const field of fields()) field.value = "";
  clearErrors();
  saveForm();
  const undo = () => {
    fillForm({ fields: kept });
    saveForm();
  };
  toast("Cleared.", { action: "Undo", onClick: undo });
});
