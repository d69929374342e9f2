// What is done with a thread as a whole.
import { act } from "./acts.js";
import { get, id, post } from "./api.js";
import { refresh } from "./refresh.js";
import { toast, trouble } from "./toast.js";

const threadOf = (element) => element.closest(".thread").dataset.thread;

async function change(thread, what) {
  const answer = await post(`/threads/${id(thread)}/${what}`);
  if (!answer.ok) {
    trouble(answer);
    return false;
  }
  await refresh();
  return true;
}

act("resolve", async (element) => {
  const thread = threadOf(element);
  if (await change(thread, "resolve")) toast("Resolved.", { action: "Undo", does: () => change(thread, "reopen") });
});

act("reopen", (element) => change(threadOf(element), "reopen"));

act("delete", async (element) => {
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

act("prompt", (element) => copy(`/threads/${id(threadOf(element))}/prompt`, "a prompt for this thread"));
act("prompt-all", () => copy("/prompt", "a prompt for everything that waits on an agent"));
