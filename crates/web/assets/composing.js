// Whoever is in the middle of composing a character must not lose the field that it is for.
let composing = false;
addEventListener("compositionstart", () => (composing = true), true);
addEventListener("compositionend", () => (composing = false), true);

export function unbroken() {
  if (!composing) return Promise.resolve();
  return new Promise((done) => addEventListener("compositionend", () => setTimeout(done), { once: true, capture: true }));
}
