// Waits for something to become true, and gives up at a deadline.
const PATIENCE = 10_000;
const PAUSE = 20;

export async function until(holds, what) {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const value = await holds();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`this did not come true in ${PATIENCE / 1000} s: ${what}`);
    await new Promise((done) => setTimeout(done, PAUSE));
  }
}
