// Files on the page: their code comes when it is scrolled to, unfolds, and is ticked off.
import { onAction } from "./actions.js";
import { updateTimes } from "./times.js";
import { post, request } from "./api.js";
import { anchored, revive } from "./compose.js";
import { compositionEnd } from "./input_method.js";
import { keep } from "./keep_position.js";
import { morph } from "./morph.js";
import { refresh } from "./refresh.js";
import { showUnsentTexts } from "./unsent_texts.js";
import { trouble } from "./toast.js";

const LINE = 19.2;
const seen = new IntersectionObserver(
  (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => load(entry.target)),
  { rootMargin: "800px" },
);

export function lazily() {
  watch();
  document.addEventListener("skein:fresh", here);
  addEventListener("scroll", here, { passive: true });
  here();
}

// Gives files that are not there yet about the height that they will have.
export function watch() {
  for (const section of document.querySelectorAll(".file[data-waits]")) {
    const body = section.querySelector(".waits");
    if (body) body.style.minHeight = `${Math.min(Number(section.dataset.lines), 1500) * LINE}px`;
    seen.observe(section);
  }
}

const address = (section) => {
  const query = new URLSearchParams(location.search);
  query.set("name", section.dataset.path);
  if (location.pathname.startsWith("/file/")) query.set("whole", "1");
  for (const range of (section.dataset.myOpen ?? "").split(" ").filter(Boolean)) query.append("open", range);
  if (section.hasAttribute("data-my-all") || section.hasAttribute("data-my-open")) query.set("all", "1");
  return `/fragment/section?${query}`;
};

const loading = new Map();

// What is asked for while a file is on its way may be more than what comes, so that it is fetched once more.
export function load(section) {
  const coming = loading.get(section.id);
  if (coming) return (coming.next ??= coming.done.then(() => load(section)));
  const one = { done: fill(section).finally(() => loading.delete(section.id)) };
  loading.set(section.id, one);
  return one.done;
}

async function fill(section) {
  seen.unobserve(section);
  let text;
  try {
    const response = await request(address(section));
    text = await response.text();
    if (!response.ok) return;
  } catch {
    return;
  }
  const fresh = new DOMParser().parseFromString(text, "text/html").querySelector(".file");
  if (!fresh || !section.isConnected) return;
  await compositionEnd();
  // The same version may have more lines unfolded.
  delete section.dataset.version;
  keep(() => anchored(section, () => morph(section, fresh)));
  updateTimes(section);
  folds();
  showUnsentTexts(revive());
}

onAction("unfold", (button) => {
  const section = button.closest(".file");
  const range = `${button.dataset.from}-${button.dataset.to}`;
  section.dataset.myOpen = `${section.dataset.myOpen ?? ""} ${range}`.trim();
  return load(section);
});

onAction("show-file", (button) => {
  const section = button.closest(".file");
  section.setAttribute("data-my-all", "");
  load(section);
});

export function toggle(section) {
  const body = section.querySelector(".file-body");
  const folded = getComputedStyle(body).display === "none" ? "0" : "1";
  section.dataset.myFolded = folded;
  folds();
  if (folded === "0" && section.hasAttribute("data-waits")) load(section);
}

// Says of each file that the reader folded or unfolded which of it is the case.
export function folds() {
  for (const section of document.querySelectorAll(".file[data-my-folded]")) {
    section.querySelector(".fold-file").setAttribute("aria-expanded", section.dataset.myFolded === "0");
  }
}

// Opens everything that an element is folded into.
export function reveal(element) {
  for (let one = element.parentElement; one; one = one.parentElement) {
    if (one.localName === "details") one.open = true;
    if (one.matches(".file-body") && getComputedStyle(one).display === "none") toggle(one.closest(".file"));
  }
}

onAction("fold-file", (button) => toggle(button.closest(".file")));

onAction("viewed", async (box) => {
  const section = box.closest(".file");
  const { path, content } = section.dataset;
  delete section.dataset.myFolded;
  const answer = await post("/viewed", { path, content, viewed: box.checked });
  if (!answer.ok) {
    box.checked = !box.checked;
    return trouble(answer);
  }
  await refresh();
  // A folded file leaves its heading in sight.
  if (section.getBoundingClientRect().top < 0) section.scrollIntoView({ block: "start" });
  return null;
});

onAction("layout", (button) => {
  document.cookie = `skein-layout=${button.dataset.layout}; path=/; max-age=31536000; samesite=strict`;
  location.reload();
});

onAction("theme", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  document.cookie = `skein-theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=strict`;
});

// Marks the file that is being looked at in the tree.
let due = false;
function here() {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    const at = current();
    for (const leaf of document.querySelectorAll("#tree .leaf")) {
      leaf.toggleAttribute("data-my-here", leaf.dataset.path === at?.dataset.path);
    }
  });
}

export function current() {
  const files = [...document.querySelectorAll(".file")];
  return files.findLast((file) => file.getBoundingClientRect().top < 120) ?? files[0];
}
