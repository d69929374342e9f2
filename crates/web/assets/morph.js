// Updates the elements of the page to those that the server sent, and leaves unchanged ones alone.
//
// `data-key` identifies an element, wherever it moves: an element with a key is never created twice, and never filled from another
// one. The page owns what is inside of `data-keep`, attributes that start with `data-my-`, and elements with `data-mine`. Elements
// with the same `data-version` are equal.

export function morph(from, to) {
  update(from, to, new Keyed(from));
}

// The elements of the page that have a key, until they are used.
class Keyed {
  constructor(root) {
    this.elements = new Map();
    const isOutside = (one) => !root.contains(one) && !one.contains(root);
    // An element may move between parts of the page, such as a thread whose code moved to another file.
    this.#add([...document.querySelectorAll("[data-key]")].filter(isOutside));
    this.#add(root.querySelectorAll("[data-key]"));
  }

  // A key that two elements share identifies neither.
  #add(elements) {
    const found = new Map();
    for (const element of elements) {
      const { key } = element.dataset;
      found.set(key, found.has(key) ? undefined : element);
    }
    for (const [key, element] of found) this.elements.set(key, element);
  }

  take(key) {
    const element = key === undefined ? undefined : this.elements.get(key);
    this.elements.delete(key);
    return element;
  }

  // Returns whether the page already has a part of an element, perhaps with unsent text in it.
  hasAnyOf(element) {
    return [...element.querySelectorAll("[data-key]")].some((one) => this.elements.get(one.dataset.key));
  }
}

function update(from, to, keyed) {
  if (from.dataset.version && from.dataset.version === to.dataset.version && !needsLoading(from, to)) return;
  if (from.isEqualNode(to)) return;
  updateAttributes(from, to);
  if (!from.hasAttribute("data-keep")) updateChildren(from, to, keyed);
  from.removeAttribute("data-my-turned");
}

// A file that is not loaded yet needs an update even if its version is the same.
function needsLoading(from, to) {
  return from.hasAttribute("data-waits") && !to.hasAttribute("data-waits");
}

function updateAttributes(from, to) {
  const own = (name) => name.startsWith("data-my-") || (name === "open" && isReaderControlled(from));
  if (to.dataset.status !== from.dataset.status) from.setAttribute("data-my-turned", "");
  for (const { name } of [...from.attributes]) {
    if (!own(name) && !to.hasAttribute(name)) from.removeAttribute(name);
  }
  for (const { name, value } of [...to.attributes]) {
    if (!own(name) && from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
  if (from.localName === "input" && from.type === "checkbox") from.checked = to.hasAttribute("checked");
}

// The reader decides what is folded, unless the status changed. Unsent text is never folded away.
function isReaderControlled(element) {
  if (element.localName !== "details") return false;
  return !element.closest("[data-my-turned]") || element.querySelector(".composer") !== null;
}

// Orders the children first and updates each of them afterwards.
function updateChildren(from, to, keyed) {
  const wantedHere = new Set([...to.children].map((child) => child.dataset.key));
  const placed = [];
  let at = skipOwnRows(from.firstChild);
  for (const wanted of [...to.childNodes]) {
    // Remove first, so that the others need not be moved.
    while (at?.dataset?.key !== undefined && !wantedHere.has(at.dataset.key)) at = removeAndNext(at);
    const known = keyed.take(wanted.dataset?.key);
    const here = known ?? (at && canReuse(at, wanted) ? at : null);
    if (here && here === at) at = skipOwnRows(at.nextSibling);
    else if (here) from.insertBefore(here, at);
    if (here) placed.push([here, wanted]);
    else placed.push([from.insertBefore(newNode(wanted, keyed), at), wanted]);
  }
  while (at) at = removeAndNext(at);
  for (const [node, wanted] of placed) {
    if (node === wanted) continue;
    if (node.nodeType === 1) update(node, wanted, keyed);
    else if (node.data !== wanted.data) node.data = wanted.data;
  }
}

// Returns the node itself if all of it is new, otherwise an empty copy, which is filled like any other.
function newNode(wanted, keyed) {
  if (wanted.nodeType !== 1 || wanted.hasAttribute("data-keep") || !keyed.hasAnyOf(wanted)) return wanted;
  const empty = document.importNode(wanted, false);
  empty.removeAttribute("data-version");
  return empty;
}

// Rows that the page inserted itself stay in place.
function skipOwnRows(node) {
  while (node?.nodeType === 1 && node.hasAttribute("data-mine")) node = node.nextSibling;
  return node;
}

function removeAndNext(node) {
  const after = skipOwnRows(node.nextSibling);
  node.remove();
  return after;
}

function canReuse(a, b) {
  if (a.nodeType !== b.nodeType) return false;
  if (a.nodeType !== 1) return true;
  return a.localName === b.localName && a.dataset?.key === undefined && b.dataset?.key === undefined;
}
