// Waits for something to become true in VS Code, which takes longer than on a page of our own, and where a look costs more.
export const TIMEOUT = 60_000;
const PAUSE = 60;

export async function until(condition, what, timeout = TIMEOUT) {
  const deadline = Date.now() + timeout;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`still not true after ${timeout / 1000} s: ${what}`);
    await new Promise((done) => setTimeout(done, PAUSE));
  }
}
