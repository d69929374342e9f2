import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "../src/backoff";

test("pauses grow up to a limit, and start again after a success", () => {
  const backoff = new Backoff();
  const pauses = Array.from({ length: 8 }, () => backoff.next());
  assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000]);
  backoff.reset();
  assert.equal(backoff.next(), 1000);
});
