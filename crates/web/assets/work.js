// The pages of work: steps are closed, a brief is copied, old checkpoints go.
import { onAction } from "./actions.js";
import { id, post } from "./api.js";
import { dialog } from "./dialog.js";
import { h } from "./html.js";
import { refresh } from "./refresh.js";
import { toast, trouble } from "./toast.js";
import "./checkpoint_form.js";

const SAID = { done: "Done.", drop: "Dropped.", reopen: "Open again." };
const BACK = { done: "reopen", drop: "reopen", reopen: "done" };

async function change({ checkpoint, number, shown }, what) {
  const answer = await post(`/checkpoints/${id(checkpoint)}/steps/${number}`, { change: what, shown });
  if (!answer.ok) {
    const now = answer.data.conflict?.now;
    if (now) toast(answer.data.error, { bad: true, hint: `It is now: ${now}` });
    else trouble(answer);
  }
  await refresh();
  return answer.ok ? answer.data : null;
}

// Where a step leaves the list, the one after it is at hand.
function neighbour(step) {
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
  const focus = neighbour(step);
  element.disabled = true;
  const done = await change(about, what);
  element.disabled = false;
  focus();
  if (!done) return;
  const undo = () => change({ ...about, shown: done.shown }, BACK[what]);
  toast(SAID[what], { hint: done.step, action: what === "reopen" ? undefined : "Undo", does: undo });
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
  const what = count === "1" ? "1 checkpoint goes" : `${count} checkpoints go`;
  const box = dialog("Clean up", [h("p", {}, `${what} to the trash or to the archive, as listed. Nothing is deleted.`)], [go]);
  go.addEventListener("click", async () => {
    go.disabled = true;
    const answer = await post("/cleanup", { token, archive: archive ? Number(archive) : undefined });
    box.close();
    if (answer.ok) told(answer.data);
    else trouble(answer);
    await refresh();
  });
  go.focus();
});

function told({ goes, failures }) {
  const gone = goes.length === 1 ? "1 checkpoint went." : `${goes.length} checkpoints went.`;
  if (failures) toast(gone, { bad: true, hint: `${failures} could not go; the list says why.` });
  else toast(gone, { hint: "What went to the trash can be copied back." });
}

// Choosing is enough: whoever has no script presses the button.
document.addEventListener("change", ({ target }) => {
  const form = target.closest?.("form[data-sieve]");
  if (!form) return;
  for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
  form.requestSubmit();
});

// What was said about something that was written before this page was opened.
for (const text of JSON.parse(sessionStorage.getItem("skein:notes") ?? "[]")) toast(text);
sessionStorage.removeItem("skein:notes");
