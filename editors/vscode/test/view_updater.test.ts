import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Overview } from "../src/documents";
import type { Roots } from "../src/roots";
import { Views, ViewUpdater } from "../src/views/views";
import { until } from "./until";
import { view } from "./views";
import { EventEmitter } from "./vscode";

/** Views of one root, whose overviews are answered by the test. */
function scene(t: TestContext) {
  const asked: { resolve: (overview: Overview) => void; reject: (error: Error) => void }[] = [];
  const overview = () => new Promise<Overview>((resolve, reject) => asked.push({ resolve, reject }));
  const root = { path: "/r", name: "r", reviews: { overview }, cli: { read: async () => ({ threads: [] }) } };
  const roots = { all: [root], onDidChange: new EventEmitter<void>().event, onEvent: new EventEmitter<unknown>().event };
  const views = new Views();
  const updater = new ViewUpdater(views, roots as unknown as Roots, () => undefined);
  t.after(() => updater.dispose());
  const labels = () => views.reviews.getChildren().flatMap((node) => (node.children ?? [node]).map((child) => child.label));
  return { asked, updater, labels };
}

function withDraft(line: number): Overview {
  const drafts = [view("a", { at: `a.rs:${line}`, status: "draft" })];
  return { root: "/r", branch: null, waiting_on_reviewer: [], waiting_on_agent: [], drafts, resolved: 0, unusable: [] };
}

test("an older list that ends later is not shown", async (t) => {
  const { asked, updater, labels } = scene(t);
  updater.refreshAll();
  await until(() => asked.length === 1);
  updater.refreshAll();
  await until(() => asked.length === 2);
  asked[1]?.resolve(withDraft(2));
  await until(() => labels().length > 0);
  asked[0]?.resolve(withDraft(1));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(labels(), ["a.rs:2"]);
});

test("lists are shown although newer ones have begun", async (t) => {
  const { asked, updater, labels } = scene(t);
  updater.refreshAll();
  await until(() => asked.length === 1);
  updater.refreshAll();
  await until(() => asked.length === 2);
  asked[0]?.resolve(withDraft(1));
  await until(() => labels()[0] === "a.rs:1");
});

test("a list that failed is made again", async (t) => {
  const { asked, updater, labels } = scene(t);
  updater.refreshAll();
  await until(() => asked.length === 1);
  asked[0]?.reject(new Error("The machine is busy"));
  await until(() => labels().length > 0);
  assert.deepEqual(labels(), ["The machine is busy"]);
  await until(() => asked.length === 2);
  asked[1]?.resolve(withDraft(3));
  await until(() => labels()[0] === "a.rs:3");
});

test("nothing is shown after dispose", async (t) => {
  const { asked, updater, labels } = scene(t);
  updater.refreshAll();
  await until(() => asked.length === 1);
  updater.dispose();
  asked[0]?.resolve(withDraft(1));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(labels(), []);
});
