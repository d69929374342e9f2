// Announces answers that appear on the page to screen readers: nothing else moves the focus or the view to them.
import { h } from "./html.js";

// At most this many are read out one by one.
const MAX_READ = 3;

const commentsOfOthers = () => [...document.querySelectorAll(".thread .comment")].filter((one) => !one.querySelector("[data-act=edit]"));

// Runs a change of the page, and announces the comments of others that it added to threads that were there before.
export async function announceNew(change) {
  const before = new Set(commentsOfOthers().map((one) => one.dataset.key));
  const threads = new Set([...document.querySelectorAll(".thread")].map((one) => one.dataset.key));
  await change();
  const isNew = (one) => !before.has(one.dataset.key) && threads.has(one.closest(".thread").dataset.key);
  const fresh = commentsOfOthers().filter(isNew);
  if (!fresh.length) return;
  const texts = fresh.slice(0, MAX_READ).map(describe);
  if (fresh.length > MAX_READ) texts.push(`${fresh.length - MAX_READ} more answers.`);
  document.getElementById("announced")?.replaceChildren(...texts.map((text) => h("p", {}, text)));
}

function describe(comment) {
  const place = comment.closest(".thread").querySelector(".thread-head .at").textContent;
  return `${comment.querySelector(".by b").textContent} answered on ${place}: ${comment.querySelector(".md").textContent.trim().slice(0, 200)}`;
}
