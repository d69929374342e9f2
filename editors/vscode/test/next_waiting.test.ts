import assert from "node:assert/strict";
import { test } from "node:test";
import { nextStop, stopsOf } from "../src/threads/next_waiting";
import { view } from "./views";

const rows = (...places: [id: string, at: string][]) => places.map(([id, at]) => view(id, { at }));
const stops = stopsOf([
  { root: "/s", waiting_on_reviewer: rows(["e", "a.rs:1"]) },
  { root: "/r", waiting_on_reviewer: rows(["d", "b.rs"], ["c", "a.rs:20"], ["b", "a.rs:3"], ["b2", "a.rs:3"]) },
]);

test("threads are visited by root, file and line", () => {
  assert.deepEqual(stops.map(({ id }) => id), ["b", "b2", "c", "d", "e"]);
});

test("the next thread is the first one after the cursor, at last the first one of all", () => {
  const next = (root: string, path: string, line: number, last?: string) => nextStop(stops, { root, path, line }, last)?.id;
  assert.equal(nextStop(stops, undefined, undefined)?.id, "b");
  assert.equal(next("/r", "a.rs", 0), "b");
  assert.equal(next("/r", "a.rs", 2, "b"), "b2", "two threads are on one line");
  assert.equal(next("/r", "a.rs", 2, "b2"), "c");
  assert.equal(next("/r", "a.rs", 5, "b"), "c", "the cursor was moved since");
  assert.equal(next("/r", "a.rs", 19, "c"), "d");
  assert.equal(next("/r", "z.rs", 0), "e");
  assert.equal(next("/s", "a.rs", 0, "e"), "b");
  assert.equal(nextStop([], undefined, undefined), undefined);
});
