import assert from "node:assert/strict";
import { test } from "node:test";
import { editorRoot, formatPlace, parsePlace, relativePath } from "../src/paths";

test("a place has a path and perhaps lines", () => {
  assert.deepEqual(parsePlace("src/a.rs:12-14"), { path: "src/a.rs", lines: { start: 11, end: 13 } });
  assert.deepEqual(parsePlace("src/a.rs:12"), { path: "src/a.rs", lines: { start: 11, end: 11 } });
  assert.deepEqual(parsePlace("a:b.txt"), { path: "a:b.txt" });
  assert.deepEqual(parsePlace("a:3.txt:4"), { path: "a:3.txt", lines: { start: 3, end: 3 } });
  assert.equal(formatPlace("a.rs", 1, 3), "a.rs:2-4");
});

test("the editor knows a root by the path of its folder", () => {
  assert.equal(editorRoot("/link", "/real", "/real"), "/link");
  assert.equal(editorRoot("/link/sub/deep", "/real/sub/deep", "/real"), "/link");
  assert.equal(editorRoot("/repo/sub", "/repo/sub", "/repo"), "/repo");
  assert.equal(editorRoot("/elsewhere", "/repo/sub", "/repo"), "/repo");
});

test("a file outside the root has no path in it", () => {
  assert.equal(relativePath("/r", "/r/src/a.rs"), "src/a.rs");
  assert.equal(relativePath("/r", "/r..x/a.rs"), undefined);
  assert.equal(relativePath("/r", "/r"), undefined);
  assert.equal(relativePath("/r", "/r/..a"), "..a");
});
