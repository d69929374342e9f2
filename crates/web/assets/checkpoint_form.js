// The form on which a checkpoint or a handoff is written: what is half-written is kept, errors stand beside their fields.
import { onAction } from "./actions.js";
import { id, post } from "./api.js";
import { h } from "./html.js";
import { all, changed, drop, put } from "./unsent_storage.js";
import { toast } from "./toast.js";

const form = document.querySelector("form[data-form]");
const kind = form?.dataset.form;
const key = `form:${kind}`;
const fields = () => [...(form?.elements ?? [])].filter((field) => field.name);

if (form && !document.body.hasAttribute("data-read-only")) {
  // Who is fast has typed something before this script was here.
  const typed = fields().filter((field) => field.value);
  fill(all().find(([name]) => name === key)?.[1], typed);
  if (typed.length) keep();
  form.addEventListener("input", keep);
  form.addEventListener("change", keep);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  });
  // Another tab wrote or sent the same; whoever writes here goes on with what is here.
  changed((name, value) => {
    if (name === key && !form.contains(document.activeElement)) fill(value);
  });
}

function fill(kept, except = []) {
  const texts = kept?.fields ?? {};
  for (const field of fields()) if (!except.includes(field)) field.value = texts[field.name] ?? "";
  const more = form.querySelector("details.more");
  if (fields().some((field) => more.contains(field) && field.value)) more.open = true;
}

function keep() {
  const texts = Object.fromEntries(fields().map(({ name, value }) => [name, value]));
  const text = Object.values(texts).filter((value) => value.trim()).join("\n");
  put(key, { kind: "form", form: kind, fields: texts, text });
}

const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

function written() {
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

async function send() {
  const button = form.querySelector("button[type=submit]");
  if (button.disabled) return;
  clear();
  if (!form.elements.summary.value.trim()) {
    say({ field: "summary", error: "Say something first." });
    return;
  }
  busy(button, true);
  const answer = await post(kind === "handoff" ? "/handoffs" : "/checkpoints", written());
  busy(button, false);
  if (!answer.ok) {
    say(answer.data);
    return;
  }
  drop(key);
  sessionStorage.setItem("skein:notes", JSON.stringify([kind === "handoff" ? "Handed over." : "Saved.", ...answer.data.notes]));
  location.assign(`/work/${id(answer.data.id)}`);
}

function busy(button, on) {
  button.disabled = on;
  // What is typed while it is on its way would be in neither text.
  for (const field of fields()) field.readOnly = on;
}

function clear() {
  for (const error of form.querySelectorAll(".error")) error.hidden = true;
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  form.querySelector(".said").hidden = true;
}

// An error stands beside the field that it is about, else above the button.
function say({ field, error, hint }) {
  const box = field && form.querySelector(`[data-field="${field}"]`);
  const place = box ? box.querySelector(".error") : form.querySelector(".said");
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
  clear();
  keep();
  const undo = () => {
    fill({ fields: kept });
    keep();
  };
  toast("Cleared.", { action: "Undo", does: undo });
});
