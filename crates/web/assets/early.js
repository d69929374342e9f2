// Keeps what the user does before the scripts of the page are ready, and repeats it for them.
//
// The page is painted without waiting for its modules, which have run before `DOMContentLoaded`. Links, fields and forms that have an
// address work without scripts, so only the rest is kept.
{
  const kept = [];
  const own = "a, input, textarea, select, summary, label, form[action]";
  const keeps = {
    click({ target }) {
      const button = target.closest("button");
      return button && !button.closest(own) && (() => button.click());
    },
    submit({ target, submitter }) {
      return target.matches("form[data-form]") && (() => target.requestSubmit(submitter));
    },
    change({ target }) {
      return target.matches("input[data-act]") && (() => target.dispatchEvent(new Event("change", { bubbles: true })));
    },
    pointerdown: keepPointer,
    pointerup: keepPointer,
  };

  // A press on the number of a line begins a selection, which may end elsewhere.
  let isSelecting = false;
  function keepPointer({ type, target, button, shiftKey, clientX, clientY }) {
    const isStart = type === "pointerdown";
    const selects = isStart ? button === 0 && target.closest("table.open td.n.r[data-n]") : isSelecting;
    isSelecting = isStart && Boolean(selects);
    if (!selects) return null;
    const again = (name) => target.dispatchEvent(new PointerEvent(name, { button, shiftKey, clientX, clientY, bubbles: true, cancelable: true }));
    return () => (isStart || again("pointermove"), again(type));
  }

  const keep = (event) => {
    const repeat = keeps[event.type](event);
    if (!repeat) return;
    event.stopPropagation();
    if (event.type !== "change") event.preventDefault();
    kept.push(repeat);
  };
  for (const type of Object.keys(keeps)) document.addEventListener(type, keep, true);
  document.addEventListener("DOMContentLoaded", () => {
    for (const type of Object.keys(keeps)) document.removeEventListener(type, keep, true);
    for (const repeat of kept) repeat();
  });
}
