// The pages of work: closing steps, copying a brief, cleaning up.
import { onAction } from "./actions.js";
import { id, post } from "./api.js";
import { dialog } from "./dialog.js";
import { h } from "./html.js";
import { refresh } from "./refresh.js";
import { showError, toast } from "./toast.js";
import "./checkpoint_form.js";

const MESSAGES = { done: "Done.", drop: "Dropped.", reopen: "Open again." };
const OPPOSITE = { done: "reopen", drop: "reopen", reopen: "done" };

async function changeStep({ checkpoint, number, shown }, what) {
  const answer = await post(`/checkpoints/${id(checkpoint)}/steps/${number}`, { change: what, shown });
  if (!answer.ok) {
    const now = answer.data.conflict?.now;
    if (now) toast(answer.data.error, { bad: true, hint: `It is now: ${now}` });
    else showError(answer);
  }
  await refresh();
  return answer.ok ? answer.data : null;
}

// Returns a function that focuses the next step if this one has left the list.
function focusAfter(step) {
  const all = [...document.querySelectorAll(".step")];
  const next = all[all.indexOf(step) + 1] ?? all[all.indexOf(step) - 1];
  return () => {
    if (step.isConnected) return step.querySelector("button")?.focus({ preventScroll: true });
    if (!next?.isConnected || document.activeElement !== document.body) return undefined;
    return next.querySelector("button")?.focus({ preventScroll: true });
  };
}

onAction("step", async (element) => {
  const step = element.closest(".step");
  const about = { ...step.dataset };
  const what = element.dataset.change;
  const focus = focusAfter(step);
  element.disabled = true;
  const done = await changeStep(about, what);
  element.disabled = false;
  focus();
  if (!done) return;
  const undo = () => changeStep({ ...about, shown: done.shown }, OPPOSITE[what]);
  toast(MESSAGES[what], { hint: done.step, action: what === "reopen" ? undefined : "Undo", onClick: undo });
});

onAction("copy-brief", async () => {
  const area = document.getElementById("brief");
  try {
    await navigator.clipboard.writeText(area.value);
    toast("Copied the brief.", { hint: "Paste it to your agent." });
  } catch {
    area.focus();
    area.select();
    toast("The browser does not let this page copy.", { bad: true, hint: "The text is selected: copy it with Ctrl C." });
  }
});

onAction("cleanup", ({ dataset: { token, archive, count } }) => {
  const go = h("button", { class: "main" }, "Move them");
  const what = count === "1" ? "1 checkpoint is moved" : `${count} checkpoints are moved`;
  const box = dialog("Clean up", [h("p", {}, `${what} to the trash or to the archive, as listed. Nothing is deleted.`)], [go]);
  go.addEventListener("click", async () => {
    go.disabled = true;
    const answer = await post("/cleanup", { token, archive: archive ? Number(archive) : undefined });
    box.close();
    if (answer.ok) reportCleanup(answer.data);
    else showError(answer);
    await refresh();
  });
  go.focus();
});

function reportCleanup({ goes, failures }) {
  const gone = goes.length === 1 ? "1 checkpoint was moved." : `${goes.length} checkpoints were moved.`;
  if (failures) toast(gone, { bad: true, hint: `${failures} could not be moved; the list shows the reasons.` });
  else toast(gone, { hint: "Checkpoints in the trash can be copied back." });
}

// Submits on every choice; the button is for browsers without scripts.
document.addEventListener("change", ({ target }) => {
  const form = target.closest?.("form[data-filters]");
  if (!form) return;
  for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
  form.requestSubmit();
});

// Messages about a write on the previous page.
for (const text of JSON.parse(sessionStorage.getItem("skein:notes") ?? "[]")) toast(text);
sessionStorage.removeItem("skein:notes");
