// Remembers what the page of changes compares, so that the way back from another page leads there.
const KEY = "skein:comparison";

if (location.pathname === "/" && !document.querySelector("main > .empty")) sessionStorage.setItem(KEY, location.search);

// Returns the address of the page of changes with the comparison that this tab showed last.
export function changesAddress() {
  return `/${sessionStorage.getItem(KEY) ?? ""}`;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.('header.top a[href="/"]');
  if (!link || location.pathname === "/" || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  location.assign(changesAddress());
});
