// What is done with a thread as a whole.
import { onAction } from "./actions.js";
import { get, id, post } from "./api.js";
import { refresh } from "./refresh.js";
import { toast, trouble } from "./toast.js";

const threadOf = (element) => element.closest("[data-thread]").dataset.thread;

async function change(thread, what) {
  const answer = await post(`/threads/${id(thread)}/${what}`);
  if (!answer.ok) {
    trouble(answer);
    return null;
  }
  await refresh();
  return answer.data;
}

async function resolve(element) {
  const thread = threadOf(element);
  const written = await change(thread, "resolve");
  // An agent that may not resolve has proposed it.
  if (written?.status === "open") toast("Proposed to resolve.");
  else if (written) toast("Resolved.", { action: "Undo", does: () => change(thread, "reopen") });
}

onAction("resolve", resolve);
onAction("accept", resolve);

onAction("reopen", (element) => change(threadOf(element), "reopen"));

onAction("delete", async (element) => {
  const thread = threadOf(element);
  if (await change(thread, "delete")) toast("Deleted.", { action: "Undo", does: () => change(thread, "restore") });
});

async function copy(path, what) {
  const answer = await get(path);
  if (!answer.ok) return trouble(answer);
  try {
    await navigator.clipboard.writeText(answer.data);
    return toast(`Copied ${what}.`, { hint: "Paste it to your agent." });
  } catch {
    return toast("The browser does not let this page copy.", { bad: true, hint: "`skein review export` prints the same." });
  }
}

onAction("prompt", (element) => copy(`/threads/${id(threadOf(element))}/prompt`, "a prompt for this thread"));
onAction("prompt-all", () => copy("/prompt", "a prompt for everything that waits on an agent"));
