// The overview: problems appear when the check is done, and a repair is shown before it runs.
import { onAction } from "./actions.js";
import { post } from "./api.js";
import { dialog } from "./dialog.js";
import { h } from "./html.js";
import { refresh } from "./refresh.js";
import { showError, toast } from "./toast.js";

const PAUSE = 700;

// Refreshes the page until the check in the background is done.
let waiting = 0;

function refreshWhileChecking() {
  clearTimeout(waiting);
  if (document.querySelector("#doctor[data-checking]")) waiting = setTimeout(refresh, PAUSE);
}

function confirmRepairs(plans) {
  const list = h("ul", { class: "plans" }, ...plans.map(({ shown }) => h("li", {}, shown, ".")));
  const about = h("p", { class: "quiet" }, "The same as ", h("code", {}, "skein doctor --fix"), ". No text is lost: the original of a replaced file is kept in the trash or under another name.");
  const go = h("button", { class: "main", onclick: () => repair(plans, box, go) }, plans.length === 1 ? "Repair" : `Repair all ${plans.length}`);
  const box = dialog(plans.length === 1 ? "Repair this?" : `Repair these ${plans.length}?`, [list, about], [h("button", { onclick: () => box.close() }, "Cancel"), go]);
  go.focus();
}

async function repair(plans, box, go) {
  go.disabled = true;
  const answer = await post("/doctor/repair", { repairs: plans.map(({ plan }) => plan) });
  box.close();
  await refresh();
  if (!answer.ok) return showError(answer);
  for (const { said, done } of answer.data.repairs.slice(0, 3)) toast(said.charAt(0).toUpperCase() + said.slice(1), { bad: !done });
  const more = answer.data.repairs.length - 3;
  return more > 0 ? toast(`And ${more} more.`) : null;
}

const allPlans = () => [...document.querySelectorAll("[data-act=repair]")].map(({ dataset }) => ({ plan: dataset.plan, shown: dataset.shown }));

onAction("repair", ({ dataset }) => confirmRepairs([{ plan: dataset.plan, shown: dataset.shown }]));
onAction("repair-all", () => confirmRepairs(allPlans()));
document.addEventListener("skein:fresh", refreshWhileChecking);
refreshWhileChecking();
