// Files on the page: code is loaded when it is scrolled to, can be unfolded, and marked as viewed.
import { onAction } from "./actions.js";
import { updateTimes } from "./times.js";
import { post, request } from "./api.js";
import { keepComposers, restoreUnsentTexts } from "./compose.js";
import { compositionEnd } from "./input_method.js";
import { keepPosition } from "./keep_position.js";
import { morph } from "./morph.js";
import { refresh } from "./refresh.js";
import { showUnsentTexts } from "./unsent_texts.js";
import { showError } from "./toast.js";

const LINE = 19.2;
const seen = new IntersectionObserver(
  (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => loadFile(entry.target)),
  { rootMargin: "800px" },
);

const pieces = new IntersectionObserver(
  (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => loadPiece(entry.target)),
  { rootMargin: "800px" },
);

// Loads a piece of a long file when it is scrolled to.
function loadPiece(button) {
  pieces.unobserve(button);
  unfold(button);
}

export function observeFiles() {
  observeUnloaded();
  document.addEventListener("skein:fresh", markCurrentFile);
  addEventListener("scroll", markCurrentFile, { passive: true });
  markCurrentFile();
}

// Reserves about the height that unloaded files will have.
export function observeUnloaded() {
  for (const section of document.querySelectorAll(".file[data-waits]")) {
    const body = section.querySelector(".loading");
    if (body) body.style.minHeight = `${Math.min(Number(section.dataset.lines), 1500) * LINE}px`;
    seen.observe(section);
  }
  for (const button of document.querySelectorAll("[data-piece]")) pieces.observe(button);
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

// A request while the file is being loaded may ask for more lines, so the file is loaded again afterwards.
export function loadFile(section) {
  const coming = loading.get(section.id);
  if (coming) return (coming.next ??= coming.done.then(() => loadFile(section)));
  const one = { done: fetchFile(section).finally(() => loading.delete(section.id)) };
  loading.set(section.id, one);
  return one.done;
}

async function fetchFile(section) {
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
  keepPosition(() => keepComposers(section, () => morph(section, fresh)));
  updateTimes(section);
  updateFoldButtons();
  observeUnloaded();
  showUnsentTexts(restoreUnsentTexts());
}

function unfold(button) {
  const section = button.closest(".file");
  const range = `${button.dataset.from}-${button.dataset.to}`;
  section.dataset.myOpen = `${section.dataset.myOpen ?? ""} ${range}`.trim();
  return loadFile(section);
}

onAction("unfold", unfold);

onAction("show-file", (button) => {
  const section = button.closest(".file");
  section.setAttribute("data-my-all", "");
  loadFile(section);
});

export function toggleFile(section) {
  const body = section.querySelector(".file-body");
  const folded = getComputedStyle(body).display === "none" ? "0" : "1";
  section.dataset.myFolded = folded;
  updateFoldButtons();
  if (folded === "0" && section.hasAttribute("data-waits")) loadFile(section);
}

// Updates the fold buttons of files that the reader folded or unfolded.
export function updateFoldButtons() {
  for (const section of document.querySelectorAll(".file[data-my-folded]")) {
    section.querySelector(".fold-file").setAttribute("aria-expanded", section.dataset.myFolded === "0");
  }
}

// Opens all folds that contain an element.
export function reveal(element) {
  for (let one = element.parentElement; one; one = one.parentElement) {
    if (one.localName === "details") one.open = true;
    if (one.matches(".file-body") && getComputedStyle(one).display === "none") toggleFile(one.closest(".file"));
  }
}

onAction("fold-file", (button) => toggleFile(button.closest(".file")));

onAction("viewed", async (box) => {
  const section = box.closest(".file");
  const viewed = box.checked;
  delete section.dataset.myFolded;
  // Only a loaded file has its content.
  if (section.hasAttribute("data-waits")) await loadFile(section);
  if (section.hasAttribute("data-waits")) return refresh();
  const { path, content } = section.dataset;
  const answer = await post("/viewed", { path, content, viewed });
  if (!answer.ok) {
    box.checked = !viewed;
    return showError(answer);
  }
  await refresh();
  // Scrolls so that the heading of the folded file stays visible.
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

// Marks the visible file in the tree.
let due = false;
function markCurrentFile() {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    const at = currentFile();
    for (const leaf of document.querySelectorAll("#tree .tree-file")) {
      leaf.toggleAttribute("data-my-here", leaf.dataset.path === at?.dataset.path);
    }
  });
}

export function currentFile() {
  const files = [...document.querySelectorAll(".file")];
  return files.findLast((file) => file.getBoundingClientRect().top < 120) ?? files[0];
}
