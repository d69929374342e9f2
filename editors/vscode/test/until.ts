import assert from "node:assert/strict";

export async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries += 1) {
    assert.ok(tries < 1000, "the condition was never met");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
