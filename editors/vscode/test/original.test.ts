import assert from "node:assert/strict";
import { test } from "node:test";
import { toChangedFiles, toPersisted } from "../src/original/shapes";
import { view } from "./views";

test("a thread has the shape of the original", () => {
  assert.deepEqual(toPersisted(view("a", { base_commit: "abc", patch: "@@" })), {
    schemaVersion: 1,
    id: "a",
    target: {
      workspaceRelativePath: "a.rs",
      range: { startLine: 4, startCharacter: 0, endLine: 4, endCharacter: 9 },
      anchor: {
        kind: "lineRange",
        context: { before: [], selection: "let x = 1", after: [] },
        git: { baseRef: "abc", hunkPatch: "@@" },
      },
    },
    status: "open",
    comments: [{ id: "c-Why?", author: "Mira", bodyMarkdown: "Why?", createdAt: "2026-01-23T14:30:00.000Z" }],
    createdAt: "2026-01-23T14:30:00.000Z",
    updatedAt: "2026-01-23T14:30:00.000Z",
  });
});

test("a comment on a file has no range, and drafts are left out", () => {
  const file = toPersisted(view("a", { target: { path: "a.rs", range: null }, selection: null }));
  assert.equal(file?.target.range, null);
  assert.deepEqual(file?.target.anchor, { kind: "lineRange" });
  assert.equal(toPersisted(view("a", { status: "draft" })), undefined);
  assert.equal(toPersisted(view("a", { usable: false })), undefined);
});

test("a changed file is listed once", () => {
  const lists = { staged: ["b.rs", "a.rs"], unstaged: ["a.rs"], untracked: ["new.rs"] };
  assert.deepEqual(toChangedFiles("work", lists), [
    { workspaceFolder: "work", file: "a.rs", staged: true, unstaged: true, untracked: false },
    { workspaceFolder: "work", file: "b.rs", staged: true, unstaged: false, untracked: false },
    { workspaceFolder: "work", file: "new.rs", staged: false, unstaged: false, untracked: true },
  ]);
});
