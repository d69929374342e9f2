// Actions on a whole thread.
import { onAction } from "./actions.js";
import { get, id, post } from "./api.js";
import { refresh } from "./refresh.js";
import { showError, toast } from "./toast.js";

const threadOf = (element) => element.closest("[data-thread]").dataset.thread;

async function changeThread(thread, what) {
  const answer = await post(`/threads/${id(thread)}/${what}`);
  if (!answer.ok) {
    showError(answer);
    return null;
  }
  await refresh();
  return answer.data;
}

async function resolve(element) {
  const thread = threadOf(element);
  const written = await changeThread(thread, "resolve");
  // An agent that may not resolve has proposed it.
  if (written?.status === "open") toast("Proposed to resolve.");
  else if (written) toast("Resolved.", { action: "Undo", onClick: () => changeThread(thread, "reopen") });
}

onAction("resolve", resolve);
onAction("accept", resolve);

onAction("reopen", (element) => changeThread(threadOf(element), "reopen"));

onAction("delete", async (element) => {
  const thread = threadOf(element);
  if (await changeThread(thread, "delete")) toast("Deleted.", { action: "Undo", onClick: () => changeThread(thread, "restore") });
});

async function copyText(path, what) {
  const answer = await get(path);
  if (!answer.ok) return showError(answer);
  try {
    await navigator.clipboard.writeText(answer.data);
    return toast(`Copied ${what}.`, { hint: "Paste it to your agent." });
  } catch {
    return toast("The browser does not let this page copy.", { bad: true, hint: "`skein review export` prints the same." });
  }
}

onAction("prompt", (element) => copyText(`/threads/${id(threadOf(element))}/prompt`, "a prompt for this thread"));
onAction("prompt-all", () => copyText("/prompt", "a prompt for everything that waits on an agent"));
