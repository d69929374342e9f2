// While the user composes a character with an input method, the field must not be replaced.
let composing = false;
addEventListener("compositionstart", () => (composing = true), true);
addEventListener("compositionend", () => (composing = false), true);

export function compositionEnd() {
  if (!composing) return Promise.resolve();
  return new Promise((done) => addEventListener("compositionend", () => setTimeout(done), { once: true, capture: true }));
}
