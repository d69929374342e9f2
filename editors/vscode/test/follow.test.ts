import assert from "node:assert/strict";
import { test } from "node:test";
import { findLines, followLines } from "../src/threads/follow";

const LINES = { start: 5, end: 6 };

test("lines above move the lines, lines below do not", () => {
  assert.deepEqual(followLines(LINES, [{ start: 0, end: 0, addedLineEnds: 3 }]), { start: 8, end: 9 });
  assert.deepEqual(followLines(LINES, [{ start: 1, end: 3, addedLineEnds: 0 }]), { start: 3, end: 4 });
  assert.deepEqual(followLines(LINES, [{ start: 9, end: 9, addedLineEnds: 3 }]), LINES);
});

test("a line that is inserted at the start of the first one moves it", () => {
  assert.deepEqual(followLines(LINES, [{ start: 4, end: 5, addedLineEnds: 2 }]), { start: 6, end: 7 });
});

test("changes within the lines change their number", () => {
  assert.deepEqual(followLines(LINES, [{ start: 5, end: 5, addedLineEnds: 1 }]), { start: 5, end: 7 });
  assert.deepEqual(followLines(LINES, [{ start: 5, end: 6, addedLineEnds: 0 }]), { start: 5, end: 5 });
});

test("several changes of one event count from the same text", () => {
  const changes = [
    { start: 0, end: 0, addedLineEnds: 1 },
    { start: 2, end: 2, addedLineEnds: 1 },
  ];
  assert.deepEqual(followLines(LINES, changes), { start: 7, end: 8 });
});

test("lines are found again in a text that was changed above or below", () => {
  const before = ["a", "}", "b", "}", "c"];
  const at = { start: 3, end: 3 };
  assert.deepEqual(findLines(before, before, at), at);
  assert.deepEqual(findLines(before, [...before, "d"], at), at);
  assert.deepEqual(findLines(before, ["x", "}", "y", ...before], at), { start: 6, end: 6 });
  assert.deepEqual(findLines(before, before.slice(2), at), { start: 1, end: 1 });
});

test("lines between changes are found if they are there once", () => {
  const before = ["a", "}", "b", "}", "c"];
  const after = ["x", "a", "}", "b", "}", "y"];
  assert.deepEqual(findLines(before, after, { start: 2, end: 2 }), { start: 3, end: 3 });
  assert.equal(findLines(before, after, { start: 3, end: 3 }), undefined);
  assert.equal(findLines(before, ["a", "}", "B", "}", "c"], { start: 2, end: 2 }), undefined);
});
