import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { CommentController } from "vscode";
import type { ReviewView } from "../src/documents";
import type { Roots } from "../src/roots";
import { ThreadController } from "../src/threads/controller";
import { until } from "./until";
import { view } from "./views";
import { MAX_SHOWN } from "../src/threads/choose";
import { EventEmitter, FakeDocument, openDocument, scroll, Uri } from "./vscode";

/** A visible file with a thread, whose lists are answered by the test. */
function scene(t: TestContext) {
  const asked: { resolve: (views: ReviewView[]) => void; reject: (error: Error) => void }[] = [];
  const listFile = () => new Promise<ReviewView[]>((resolve, reject) => asked.push({ resolve, reject }));
  const root = { path: "/r", uri: (path: string) => Uri.file(`/r/${path}`), reviews: { listFile }, damaged: new Set() };
  const roots = {
    find: () => ({ root, path: "a.rs" }),
    get: () => root,
    onEvent: new EventEmitter<unknown>().event,
    onDidChange: new EventEmitter<void>().event,
  } as unknown as Roots;
  const shown: unknown[] = [];
  const createCommentThread = (_uri: unknown, range: unknown) => {
    const thread = { range, dispose: () => undefined };
    shown.push(thread);
    return thread;
  };
  const document = openDocument(new FakeDocument(Uri.file("/r/a.rs"), ["a", "b"]));
  const controller = new ThreadController({ createCommentThread } as unknown as CommentController, roots, () => undefined);
  t.after(() => controller.dispose());
  return { asked, controller, document, shown };
}

test("a list of a file that failed is made again", async (t) => {
  const { asked, shown } = scene(t);
  await until(() => asked.length === 1);
  asked[0]?.reject(new Error("The machine is busy"));
  await until(() => asked.length === 2);
  asked[1]?.resolve([view("a")]);
  await until(() => shown.length === 1);
});

test("a list that ends after dispose shows nothing", async (t) => {
  const { asked, controller, shown } = scene(t);
  await until(() => asked.length === 1);
  controller.dispose();
  asked[0]?.resolve([view("a")]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(shown, []);
});

test("of too many threads, those near the visible lines are shown, without another list", async (t) => {
  const { asked, controller, document, shown } = scene(t);
  const at = (line: number) => view(`t${line}`, { placement: { state: "exact", path: "a.rs", start_line: line, end_line: line } });
  await until(() => asked.length === 1);
  scroll(document, 0, 20);
  asked[0]?.resolve(Array.from({ length: 100 }, (_, line) => at(line)));
  // One more is the list of the others.
  await until(() => shown.length === MAX_SHOWN + 1);
  assert.equal(controller.countRest(document.uri as never), 100 - MAX_SHOWN);
  assert.equal(controller.viewOf("/r", "t90"), undefined);
  scroll(document, 80, 99);
  await until(() => controller.viewOf("/r", "t90") !== undefined);
  assert.equal(controller.viewOf("/r", "t1"), undefined);
  assert.equal(asked.length, 1);
});

test("a new thread on lines is not folded, which would take effect after the user has unfolded it", async (t) => {
  const { asked, shown } = scene(t);
  await until(() => asked.length === 1);
  asked[0]?.resolve([view("a")]);
  await until(() => shown.length === 1);
  assert.equal("collapsibleState" in (shown[0] as object), false);
});
