// Turns the elements of the page into those that the server sent, and touches nothing that is the same.
//
// `data-key` names an element on the page, wherever it moves: an element with a key is never made twice, and is never filled from
// another one. What is inside of `data-keep` is the page's own, and so are attributes that start with `data-my-` and elements with
// `data-mine`. Elements with the same `data-version` are the same.

export function morph(from, to) {
  turn(from, to, new Keyed(from));
}

// The elements of the page that have a key, until they are used.
class Keyed {
  constructor(root) {
    this.elements = new Map();
    const isOutside = (one) => !root.contains(one) && !one.contains(root);
    // Something may be on its way between two parts of the page, such as a thread whose code moved to another file.
    this.#add([...document.querySelectorAll("[data-key]")].filter(isOutside));
    this.#add(root.querySelectorAll("[data-key]"));
  }

  // A key that two elements have names neither of them.
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

  // Returns whether the page has something of an element already, perhaps with something half-written in it.
  hasAnyOf(element) {
    return [...element.querySelectorAll("[data-key]")].some((one) => this.elements.get(one.dataset.key));
  }
}

function turn(from, to, keyed) {
  if (from.dataset.version && from.dataset.version === to.dataset.version && !waits(from, to)) return;
  if (from.isEqualNode(to)) return;
  attributes(from, to);
  if (!from.hasAttribute("data-keep")) children(from, to, keyed);
  from.removeAttribute("data-my-turned");
}

// A file that was not loaded yet is not the one that was, whatever its version.
function waits(from, to) {
  return from.hasAttribute("data-waits") && !to.hasAttribute("data-waits");
}

function attributes(from, to) {
  const own = (name) => name.startsWith("data-my-") || (name === "open" && isReaders(from));
  if (to.dataset.status !== from.dataset.status) from.setAttribute("data-my-turned", "");
  for (const { name } of [...from.attributes]) {
    if (!own(name) && !to.hasAttribute(name)) from.removeAttribute(name);
  }
  for (const { name, value } of [...to.attributes]) {
    if (!own(name) && from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
  if (from.localName === "input" && from.type === "checkbox") from.checked = to.hasAttribute("checked");
}

// Whether something is folded is up to the reader, unless its status changed; nothing folds over what is being written.
function isReaders(element) {
  if (element.localName !== "details") return false;
  return !element.closest("[data-my-turned]") || element.querySelector(".composer") !== null;
}

// Puts the children into place first and turns each of them then, so that nothing moves while their order is made.
function children(from, to, keyed) {
  const wantedHere = new Set([...to.children].map((child) => child.dataset.key));
  const placed = [];
  let at = next(from.firstChild);
  for (const wanted of [...to.childNodes]) {
    // What goes makes room first, so that what stays need not be moved.
    while (at?.dataset?.key !== undefined && !wantedHere.has(at.dataset.key)) at = removed(at);
    const known = keyed.take(wanted.dataset?.key);
    const here = known ?? (at && alike(at, wanted) ? at : null);
    if (here && here === at) at = next(at.nextSibling);
    else if (here) from.insertBefore(here, at);
    if (here) placed.push([here, wanted]);
    else placed.push([from.insertBefore(fresh(wanted, keyed), at), wanted]);
  }
  while (at) at = removed(at);
  for (const [node, wanted] of placed) {
    if (node === wanted) continue;
    if (node.nodeType === 1) turn(node, wanted, keyed);
    else if (node.data !== wanted.data) node.data = wanted.data;
  }
}

// Returns the node itself where all of it is new, and else an empty one, which is filled like any other.
function fresh(wanted, keyed) {
  if (wanted.nodeType !== 1 || wanted.hasAttribute("data-keep") || !keyed.hasAnyOf(wanted)) return wanted;
  const empty = document.importNode(wanted, false);
  empty.removeAttribute("data-version");
  return empty;
}

// Rows that the page put there itself stay where they are.
function next(node) {
  while (node?.nodeType === 1 && node.hasAttribute("data-mine")) node = node.nextSibling;
  return node;
}

function removed(node) {
  const after = next(node.nextSibling);
  node.remove();
  return after;
}

function alike(a, b) {
  if (a.nodeType !== b.nodeType) return false;
  if (a.nodeType !== 1) return true;
  return a.localName === b.localName && a.dataset?.key === undefined && b.dataset?.key === undefined;
}
