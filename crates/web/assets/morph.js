// Turns the elements of the page into those that the server sent, and touches nothing that is the same.
//
// `data-key` names an element wherever it moves. What is inside of `data-keep` is the page's own, and so are
// attributes that start with `data-my-`. Elements with the same `data-version` are the same.

export function morph(from, to) {
  const keyed = new Map();
  for (const element of from.querySelectorAll("[data-key]")) keyed.set(element.dataset.key, element);
  turn(from, to, keyed);
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

function children(from, to, keyed) {
  const wantedHere = new Set([...to.children].map((child) => child.dataset.key));
  let at = from.firstChild;
  const next = (node) => {
    // Rows that the page put there itself stay where they are.
    while (node && node.nodeType === 1 && node.hasAttribute("data-mine")) node = node.nextSibling;
    return node;
  };
  at = next(at);
  for (const wanted of [...to.childNodes]) {
    // What goes makes room first, so that what stays need not be moved.
    while (at?.dataset?.key !== undefined && !wantedHere.has(at.dataset.key)) {
      const gone = at;
      at = next(at.nextSibling);
      gone.remove();
    }
    const key = wanted.dataset?.key;
    const known = key === undefined ? null : keyed.get(key);
    if (known) {
      keyed.delete(key);
      if (known === at) at = next(at.nextSibling);
      else from.insertBefore(known, at);
      turn(known, wanted, keyed);
    } else if (at && alike(at, wanted)) {
      const here = at;
      at = next(at.nextSibling);
      if (here.nodeType === 1) turn(here, wanted, keyed);
      else if (here.data !== wanted.data) here.data = wanted.data;
    } else {
      from.insertBefore(wanted, at);
      for (const inner of wanted.querySelectorAll?.("[data-key]") ?? []) {
        const old = keyed.get(inner.dataset.key);
        if (!old || old === inner) continue;
        // It stands elsewhere on the page already, perhaps with something half-written in it.
        keyed.delete(inner.dataset.key);
        inner.replaceWith(old);
        turn(old, inner, keyed);
      }
    }
  }
  while (at) {
    const gone = at;
    at = next(at.nextSibling);
    gone.remove();
  }
}

function alike(a, b) {
  if (a.nodeType !== b.nodeType) return false;
  if (a.nodeType !== 1) return true;
  return a.localName === b.localName && a.dataset?.key === undefined && b.dataset?.key === undefined;
}
