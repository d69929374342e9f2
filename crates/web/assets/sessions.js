// The page of sessions: setting a status, repairing the session map.
import { onAction } from "./actions.js";
import { post } from "./api.js";
import { dialog } from "./dialog.js";
import { h } from "./html.js";
import { refresh } from "./refresh.js";
import { showError, toast } from "./toast.js";

// The id in the page is already encoded for an address.
async function setStatus(session, status, was) {
  const answer = await post(`/sessions/${session}/status`, { status, was: was || undefined });
  if (!answer.ok) showError(answer);
  await refresh();
  return answer.ok;
}

onAction("session", async (element) => {
  const line = element.closest(".session");
  const { session, status: was } = line.dataset;
  const { status } = element.dataset;
  element.closest("details").open = false;
  if (status === "ended") return confirmEnd(session, was);
  if (await setStatus(session, status, was)) toast(`The session is ${status}.`, { action: "Undo", onClick: () => setStatus(session, was, status) });
  return undefined;
});

// Asks first, because this cannot be undone.
function confirmEnd(session, was) {
  const go = h("button", { class: "main" }, "End it");
  const box = dialog("End the session", [h("p", {}, "An ended session cannot get another status.")], [go]);
  go.addEventListener("click", async () => {
    box.close();
    if (await setStatus(session, "ended", was)) toast("The session has ended.");
  });
  go.focus();
}

onAction("repair-map", async (element) => {
  element.disabled = true;
  const answer = await post("/session-map", { shown: element.dataset.shown });
  element.disabled = false;
  if (answer.ok) toast("The session map was repaired.", { hint: answer.data.kept ? `The original was saved as ${answer.data.kept}` : undefined });
  else showError(answer);
  return refresh();
});
