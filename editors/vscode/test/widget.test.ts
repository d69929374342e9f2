import assert from "node:assert/strict";
import { test } from "node:test";
import { type CommentThread, CommentThreadState } from "vscode";
import type { Comment } from "../src/documents";
import { threadFields } from "../src/threads/fields";
import { type CommentObject, ThreadWidget } from "../src/threads/widget";
import { comment, view } from "./views";

function scene(...comments: Comment[]) {
  const thread = { comments: [] as CommentObject[] };
  const widget = new ThreadWidget("/r", "a", threadFields(view("a", { comments })), (objects) => {
    thread.comments = objects;
    return thread as unknown as CommentThread;
  });
  return { thread, update: (...next: Comment[]) => widget.update(threadFields(view("a", { comments: next }))) };
}

const texts = ({ comments }: { comments: CommentObject[] }) => comments.map(({ written }) => written);

test("two comments with the same id are two objects", () => {
  const { thread, update } = scene(comment("One", "Mira", "c"), comment("Two", "Tom", "c"));
  const [one, two] = thread.comments;
  update(comment("One", "Mira", "c"), comment("Two, changed", "Tom", "c"));
  assert.deepEqual(texts(thread), ["One", "Two, changed"]);
  assert.deepEqual([thread.comments[0] === one, thread.comments[1] === two], [true, true]);
});

test("a comment that is being edited keeps its text while others change or delete it", () => {
  const { thread, update } = scene(comment("One", "Mira", "c"), comment("Two"));
  const [edited] = thread.comments;
  assert.ok(edited);
  edited.startEditing();
  edited.body = "Mine";
  update(comment("Theirs", "Mira", "c"), comment("Two"));
  assert.deepEqual(texts(thread), ["Mine", "Two"]);
  update(comment("Two"));
  assert.deepEqual(texts(thread), ["Two", "Mine"]);
  edited.stopEditing();
  update(comment("Two"));
  assert.deepEqual(texts(thread), ["Two"]);
});

test("an edit that was refused keeps its text, and what it is compared with, while its box is opened again", async () => {
  const { thread, update } = scene(comment("One", "Mira", "c"));
  const [edited] = thread.comments;
  assert.ok(edited);
  edited.startEditing();
  const again = edited.editAgain("Mine");
  update(comment("Theirs", "Mira", "c"));
  assert.deepEqual(texts(thread), ["Mine"]);
  await again;
  assert.deepEqual([edited.written, edited.text, edited.isEdited], ["Mine", "One", true]);
});

test("an open thread has its state, which marks and filters of VS Code use", () => {
  const { thread } = scene(comment("One"));
  assert.equal((thread as unknown as CommentThread).state, CommentThreadState.Unresolved);
});
