import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommentController, TextDocument } from "vscode";
import type { Roots } from "../src/roots";
import { CommentingRanges } from "../src/threads/ranges";
import { changeWatchedFile, configure, EventEmitter, FakeDocument, Uri } from "./vscode";

const SETTING = "localCodeReview.onlyCommentOnChanges";

/** The lines of a file of three lines, of which the last one is changed, that can be commented on. */
function scene() {
  const config = { value: null as boolean | null, fails: false };
  const read = async () => (config.fails ? Promise.reject(new Error("busy")) : { value: config.value });
  const changes = async () => ({ hunks: [{ lines: [{ kind: "added", new_line: 2 }] }] });
  const root = { path: "/r", uri: () => Uri.file("/r"), cli: { read }, reviews: { changes } };
  const rootsChanged = new EventEmitter<void>();
  const roots = { all: [root], find: () => ({ root, path: "a.rs" }), onDidChange: rootsChanged.event } as unknown as Roots;
  const controller: Partial<CommentController> = {};
  const ranges = new CommentingRanges(controller as CommentController, roots);
  const document = new FakeDocument(Uri.file("/r/a.rs"), ["a", "b", "c"]) as unknown as TextDocument;
  rootsChanged.fire();
  const lines = async () => {
    const answer = await controller.commentingRangeProvider?.provideCommentingRanges(document, undefined as never);
    return (answer as { ranges: { start: { line: number }; end: { line: number } }[] }).ranges.map(({ start, end }) => [start.line, end.line]);
  };
  return { config, controller, ranges, lines };
}

test("changes of the settings are followed: those of the user, and those of the repository", async (t) => {
  const { config, controller, ranges, lines } = scene();
  t.after(() => ranges.dispose());
  assert.deepEqual(await lines(), [[0, 2]]);
  const before = controller.commentingRangeProvider;
  configure({ [SETTING]: true });
  assert.notEqual(controller.commentingRangeProvider, before);
  assert.deepEqual(await lines(), [[2, 2]]);
  configure({ [SETTING]: false });
  assert.deepEqual(await lines(), [[0, 2]]);
  config.value = true;
  changeWatchedFile("/r");
  assert.deepEqual(await lines(), [[2, 2]]);
});

test("settings that could not be read are read again", async (t) => {
  const { config, ranges, lines } = scene();
  t.after(() => ranges.dispose());
  config.value = true;
  config.fails = true;
  assert.deepEqual(await lines(), [[0, 2]]);
  config.fails = false;
  assert.deepEqual(await lines(), [[2, 2]]);
});
