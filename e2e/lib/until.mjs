// Waits for something to become true, and gives up at a deadline.
const TIMEOUT = 10_000;
const PAUSE = 20;

export async function until(condition, what) {
  const deadline = Date.now() + TIMEOUT;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`still not true after ${TIMEOUT / 1000} s: ${what}`);
    await new Promise((done) => setTimeout(done, PAUSE));
  }
}
