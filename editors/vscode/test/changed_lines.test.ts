import assert from "node:assert/strict";
import { test } from "node:test";
import type { DiffFile, DiffLine } from "../src/documents";
import { changedLines } from "../src/threads/changed_lines";

function file(...hunks: DiffLine[][]): DiffFile {
  return { path: "a.rs", status: "modified", binary: false, hunks: hunks.map((lines) => ({ lines })) };
}

const context = (line: number): DiffLine => ({ kind: "context", new_line: line });
const added = (line: number): DiffLine => ({ kind: "added", new_line: line });
const removed: DiffLine = { kind: "removed", new_line: null };

test("runs of added lines can be commented on", () => {
  const lines = changedLines(file([context(3), added(4), added(5), context(6), added(7)], [added(20)]));
  assert.deepEqual(lines, [
    { start: 4, end: 5 },
    { start: 7, end: 7 },
    { start: 20, end: 20 },
  ]);
});

test("around lines that were only removed, the whole hunk", () => {
  assert.deepEqual(changedLines(file([context(3), removed, context(4)])), [{ start: 3, end: 4 }]);
});

test("a file without changes has none", () => {
  assert.deepEqual(changedLines(undefined), []);
});
