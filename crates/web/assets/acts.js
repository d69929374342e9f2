// What buttons do: `data-act` names an act, and modules say what it is.
const acts = new Map();

export function act(name, does) {
  acts.set(name, does);
}

export function perform(name, element) {
  return acts.get(name)?.(element);
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
