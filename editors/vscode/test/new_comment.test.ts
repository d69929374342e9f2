import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommentThread } from "vscode";
import type { NewComment } from "../src/reviews";
import type { Roots } from "../src/roots";
import type { ThreadController } from "../src/threads/controller";
import { NewComments } from "../src/threads/new_comment";
import { until } from "./until";
import { answers, closeDocument, errors, FakeDocument, openDocument, Uri } from "./vscode";

const FILE = Uri.file("/r/a.rs");

/** A box of the editor on one line of a file, and what is stored. */
function scene(show: () => Promise<unknown> = async () => ({})) {
  const added: NewComment[] = [];
  const refreshed: unknown[] = [];
  const reviews = { add: async (comment: NewComment) => ({ id: `t${added.push(comment)}` }), show };
  const root = { path: "/r", reviews, pathOf: () => "a.rs" };
  const roots = { find: () => ({ root, path: "a.rs" }) } as unknown as Roots;
  const box = { uri: FILE, disposed: false, dispose: () => (box.disposed = true), range: { start: { line: 1 }, end: { line: 1 } } };
  const controller = {
    controller: { createCommentThread: () => box },
    withoutListing: (_root: unknown, _path: string, write: () => Promise<unknown>) => write(),
    adopt: () => undefined,
    refreshThread: async (...args: unknown[]) => void refreshed.push(args.slice(1)),
  } as unknown as ThreadController;
  return { boxes: new NewComments(roots, controller), box, thread: box as unknown as CommentThread, added, refreshed };
}

test("a comment is stored on its lines after the file was saved, which may move them", async () => {
  const { boxes, thread, added } = scene();
  const document = openDocument(new FakeDocument(FILE, ["a", "b", "c"]));
  document.isDirty = true;
  document.addedBySave = ["// x", "// y"];
  await boxes.store(thread, "Why?", false);
  assert.deepEqual(added[0]?.lines, { start: 3, end: 3 });
  assert.equal(added[0]?.expect, "b");
});

test("a box is followed while its file is closed and changed on disk", async () => {
  const { boxes, thread, added } = scene();
  const document = openDocument(new FakeDocument(FILE, ["a", "}", "b", "}"]));
  await boxes.open(FILE as never, { start: 3, end: 3 });
  document.insertAtStart(["// x"]);
  closeDocument(document);
  openDocument(new FakeDocument(FILE, ["// y", "// x", "a", "}", "b", "}", "c"]));
  await assert.rejects(boxes.store(thread, "Why?", false), /changed in the meantime/);
  openDocument(new FakeDocument(FILE, ["// y", "// x", "a", "}", "b", "}"]));
  await boxes.store(thread, "Why?", false);
  assert.deepEqual(added.map((comment) => comment.lines), [{ start: 5, end: 5 }]);
  boxes.dispose();
});

test("a box is followed while its file is opened, edited and closed several times", async () => {
  const { boxes, thread, added } = scene();
  const first = openDocument(new FakeDocument(FILE, ["a", "b", "c"]));
  await boxes.open(FILE as never, { start: 1, end: 1 });
  closeDocument(first);
  const second = openDocument(new FakeDocument(FILE, ["// x", "a", "b", "c"]));
  second.insertAtStart(["// y"]);
  closeDocument(second);
  openDocument(new FakeDocument(FILE, ["// y", "// x", "a", "b", "c"]));
  await boxes.store(thread, "Why?", false);
  assert.deepEqual(added.map(({ lines, expect }) => [lines, expect]), [[{ start: 3, end: 3 }, "b"]]);
});

test("a comment is stored on its lines in a file that the editor has not read again yet", async () => {
  const { boxes, thread, added } = scene();
  const document = openDocument(new FakeDocument(FILE, ["a", "b", "c"]));
  document.onDisk = ["// x", "a", "b", "c"];
  await boxes.store(thread, "Why?", false);
  document.onDisk = ["a", "B", "c"];
  await assert.rejects(scene().boxes.store(thread, "Why?", false), /changed in the meantime/);
  assert.deepEqual(added.map((comment) => comment.lines), [{ start: 2, end: 2 }]);
});

test("a comment is stored once, also if the button is pressed twice", async () => {
  const { boxes, thread, added } = scene();
  openDocument(new FakeDocument(FILE, ["a", "b", "c"]));
  const ids = await Promise.all([boxes.store(thread, "Why?", false), boxes.store(thread, "Why?", false)]);
  assert.deepEqual(ids, ["t1", "t1"]);
  assert.equal(added.length, 1);
});

test("while a question is open, the button can be pressed again", async () => {
  const { boxes, thread, added } = scene();
  const document = openDocument(new FakeDocument(FILE, ["a", "b", "c"]));
  document.isDirty = true;
  let answer: () => void = () => undefined;
  answers.push(new Promise((resolve) => (answer = () => resolve(undefined))));
  const first = assert.rejects(boxes.store(thread, "Wy?", false));
  await until(() => answers.length === 0);
  const second = boxes.store(thread, "Why?", true);
  document.isDirty = false;
  answer();
  await first;
  await second;
  assert.deepEqual(added.map(({ body, draft }) => [body, draft]), [["Why?", true]]);
});

test("a comment that is stored but cannot be shown is not an error of the box", async () => {
  const { boxes, box, thread, added, refreshed } = scene(() => Promise.reject(new Error("No answer.")));
  openDocument(new FakeDocument(FILE, ["a", "b", "c"]));
  errors.length = 0;
  assert.equal(await boxes.store(thread, "Why?", false), "t1");
  assert.equal(added.length, 1);
  assert.equal(box.disposed, true);
  assert.deepEqual(errors, ["Skein: The comment is stored, but cannot be shown yet. No answer."]);
  assert.deepEqual(refreshed, [["t1", "a.rs"]]);
});
