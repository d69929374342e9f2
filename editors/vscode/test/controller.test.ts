import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { CommentController } from "vscode";
import type { ReviewView } from "../src/documents";
import type { Roots } from "../src/roots";
import { ThreadController } from "../src/threads/controller";
import { until } from "./until";
import { view } from "./views";
import { EventEmitter, FakeDocument, openDocument, Uri } from "./vscode";

/** A visible file with a thread, whose lists are answered by the test. */
function scene(t: TestContext) {
  const asked: { resolve: (views: ReviewView[]) => void; reject: (error: Error) => void }[] = [];
  const listFile = () => new Promise<ReviewView[]>((resolve, reject) => asked.push({ resolve, reject }));
  const root = { path: "/r", uri: (path: string) => Uri.file(`/r/${path}`), reviews: { listFile } };
  const roots = {
    find: () => ({ root, path: "a.rs" }),
    get: () => root,
    onEvent: new EventEmitter<unknown>().event,
    onDidChange: new EventEmitter<void>().event,
  } as unknown as Roots;
  const shown: unknown[] = [];
  const createCommentThread = () => {
    const thread = { dispose: () => undefined };
    shown.push(thread);
    return thread;
  };
  openDocument(new FakeDocument(Uri.file("/r/a.rs"), ["a", "b"]));
  const controller = new ThreadController({ createCommentThread } as unknown as CommentController, roots, () => undefined);
  t.after(() => controller.dispose());
  return { asked, controller, shown };
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
