// The actions of buttons: `data-act` is the name of an action, and modules register the handlers.
const actions = new Map();

export function onAction(name, handler) {
  actions.set(name, handler);
}

export function perform(name, element) {
  return actions.get(name)?.(element);
}

export function listen() {
  document.addEventListener("click", (event) => {
    const element = event.target.closest("[data-act]");
    if (!element || element.type === "checkbox") return;
    event.preventDefault();
    perform(element.dataset.act, element);
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("input[type=checkbox][data-act]")) perform(event.target.dataset.act, event.target);
  });
  // A click anywhere else closes a menu.
  document.addEventListener("click", (event) => {
    const menu = document.querySelector("details.menu[open]");
    if (menu && !menu.contains(event.target)) menu.open = false;
  });
}
