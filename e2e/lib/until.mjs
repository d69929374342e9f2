// Waits for something to become true, and gives up at a deadline.
const TIMEOUT = 30_000;
const PAUSE = 20;

export async function until(condition, what, timeout = TIMEOUT) {
  const deadline = Date.now() + timeout;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`still not true after ${timeout / 1000} s: ${what}`);
    await new Promise((done) => setTimeout(done, PAUSE));
  }
}

// Returns a promise and the function that fulfils it. A route that waits for it holds a response back until then.
export function gate() {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  return { opened, open };
}

// Waits until the page has shown what it knows.
export function frames(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
