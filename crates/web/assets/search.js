// Search as you type: in a dialog over any page, or on the search page.
//
// The server sends the result as HTML. Only the response to the last request is shown.
import { onAction } from "./actions.js";
import { updateTimes } from "./times.js";
import { request } from "./api.js";
import { h } from "./html.js";
import { morph } from "./morph.js";

const LAST = "skein:search";

class Finder {
  constructor(root, { onPage }) {
    this.root = root;
    this.onPage = onPage;
    this.input = root.querySelector("input[type=search]");
    this.reach = root.querySelector("input[name=everywhere]");
    this.found = root.querySelector(".found");
    this.asked = 0;
    this.show = 0;
    this.answered = Promise.resolve();
    root.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.open();
    });
    root.addEventListener("input", () => this.ask());
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("click", (event) => this.click(event));
    root.addEventListener("focusin", () => this.mark());
  }

  // Returns the address of the search page with this query.
  address() {
    const pairs = new URLSearchParams({ q: this.input.value });
    if (this.reach.checked) pairs.set("everywhere", "1");
    if (this.show) pairs.set("show", this.show);
    return `/search?${pairs}`;
  }

  // Requests a result; typing resets the number of hits that are shown.
  ask({ more = 0 } = {}) {
    this.show = more;
    this.remember();
    const number = ++this.asked;
    this.flight?.abort();
    this.flight = new AbortController();
    this.root.setAttribute("aria-busy", "true");
    this.answered = this.fetch(number, this.flight.signal);
    return this.answered;
  }

  remember() {
    const address = this.address();
    if (this.onPage) history.replaceState(history.state, "", this.input.value ? address : "/search");
    else sessionStorage.setItem(LAST, JSON.stringify({ q: this.input.value, everywhere: this.reach.checked }));
    if (this.onPage) document.title = document.title.replace(/^.* · /, () => `${this.input.value || "Search"} · `);
  }

  async fetch(number, signal) {
    let html = null;
    try {
      const response = await request(`/fragment${this.address()}`, () => ({ signal }));
      html = await response.text();
      if (!response.ok) html = null;
    } catch (error) {
      if (error.name === "AbortError") return;
    }
    // Ignore the response to an older request.
    if (number !== this.asked) return;
    this.root.removeAttribute("aria-busy");
    this.showResult(html);
  }

  showResult(html) {
    const page = new DOMParser().parseFromString(html ?? "", "text/html");
    const fresh = page.querySelector(".result") ?? h("div", { class: "result", "data-state": "wrong" }, h("div", { class: "query-error", role: "alert" }, "The server does not answer. Start `skein serve` again."));
    const old = this.found.querySelector(".result");
    // An incomplete query keeps the hits of the one before.
    if (fresh.dataset.state === "wrong") {
      const hits = old?.querySelector(".hits");
      if (hits) fresh.append(hits);
      hits?.classList.add("stale");
    }
    if (old) morph(this.found, h("div", { class: "found" }, fresh));
    else this.found.replaceChildren(fresh);
    updateTimes(this.found);
    this.mark();
  }

  hits() {
    return [...this.found.querySelectorAll(".hits:not(.stale) .to")];
  }

  // Marks the hit that Enter opens.
  mark() {
    const at = this.focusedHit();
    for (const hit of this.found.querySelectorAll("[data-my-cursor]")) hit.removeAttribute("data-my-cursor");
    const one = at ?? (document.activeElement === this.input ? this.hits()[0] : null);
    one?.closest(".hit").setAttribute("data-my-cursor", "");
  }

  focusedHit() {
    const to = document.activeElement?.closest?.(".to");
    return this.found.contains(to) ? to : null;
  }

  step(by) {
    const all = this.hits();
    const at = all.indexOf(this.focusedHit());
    // The first hit is already marked while the field has the focus.
    const next = at < 0 ? (by > 0 ? Math.min(1, all.length - 1) : all.length - 1) : at + by;
    if (next < 0 || !all.length) return this.input.focus();
    const one = all[Math.min(next, all.length - 1)];
    one.focus();
    return one.closest(".hit").scrollIntoView({ block: "nearest" });
  }

  async open() {
    await this.answered;
    (this.focusedHit() ?? this.hits()[0])?.click();
  }

  key(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const inList = this.focusedHit() !== null;
    const typing = event.target === this.input;
    if (event.key === "ArrowDown" || (inList && event.key === "j")) this.handle(event, () => this.step(1));
    else if (event.key === "ArrowUp" || (inList && event.key === "k")) this.handle(event, () => this.step(-1));
    else if (inList && (event.key === "/" || event.key === "Backspace")) this.handle(event, () => this.input.focus());
    else if (typing && event.key === "Tab" && !event.shiftKey) this.complete(event);
    else if (event.key === "Escape") this.handle(event, () => (this.onPage ? document.activeElement.blur() : this.root.close()));
  }

  handle(event, action) {
    event.preventDefault();
    action();
  }

  // Tab completes the last word to a filter. Without a completion, it moves the focus as usual.
  async complete(event) {
    const way = () => this.found.querySelector(".completions [data-way]");
    const busy = this.root.hasAttribute("aria-busy");
    if (!/\S$/.test(this.input.value) || this.input.selectionEnd !== this.input.value.length || !(way() || busy)) return;
    event.preventDefault();
    await this.answered;
    if (way()) this.type(way().dataset.way);
  }

  type(text) {
    this.input.value = text;
    this.input.focus();
    this.input.setSelectionRange(text.length, text.length);
    this.ask();
  }

  click(event) {
    const link = event.target.closest("[data-way], [data-more], [data-everywhere]");
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (link.dataset.way !== undefined) return this.type(link.dataset.way);
    if (link.dataset.more !== undefined) return this.ask({ more: new URL(link.href).searchParams.get("show") });
    this.reach.checked = true;
    return this.ask();
  }
}

const own = document.querySelector(".search-box");
const finder = own && new Finder(own, { onPage: true });
let over = null;

if (finder) {
  // After a return through the history, the field may have a newer text than the page.
  if (finder.input.value !== (new URLSearchParams(location.search).get("q") ?? "")) finder.ask();
  finder.mark();
}

// Changed files may change the result.
document.addEventListener("skein:fresh", () => {
  const one = over ?? finder;
  if (one?.input.value) one.ask({ more: one.show });
});

// Opens the search in a dialog over the page.
export function search() {
  if (over) return over.input.focus();
  if (finder) return finder.input.select();
  const { q = "", everywhere = false } = JSON.parse(sessionStorage.getItem(LAST) ?? "{}");
  const input = h("input", { type: "search", name: "q", value: q, placeholder: "Find reviews, checkpoints and sessions", "aria-label": "Search", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const reach = h("label", { class: "search-scope" }, h("input", { type: "checkbox", name: "everywhere", value: "1", checked: everywhere }), " In all workspaces");
  const form = h("form", { role: "search", action: "/search" }, input, reach);
  const keys = h("p", { class: "help" }, h("kbd", {}, "↑"), h("kbd", {}, "↓"), " choose ", h("kbd", {}, "Enter"), " open ", h("kbd", {}, "Tab"), " complete ", h("kbd", {}, "Esc"), " close ", h("a", { href: "/search", class: "whole" }, "As a page"));
  const box = h("dialog", { class: "search-box modal", "aria-label": "Search" }, form, h("div", { class: "found", tabindex: "-1" }), keys);
  box.addEventListener("close", () => {
    over?.flight?.abort();
    over = null;
    box.remove();
  });
  box.addEventListener("click", (event) => event.target === box && box.close());
  document.body.append(box);
  over = new Finder(box, { onPage: false });
  const one = over;
  box.querySelector(".whole").addEventListener("click", (event) => {
    event.preventDefault();
    location.assign(one.address());
  });
  box.showModal();
  input.select();
  return over.ask();
}

onAction("search", search);
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
  event.preventDefault();
  search();
});
