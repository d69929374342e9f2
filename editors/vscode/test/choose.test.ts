import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReviewView } from "../src/documents";
import { choose, listRest, MAX_SHOWN } from "../src/threads/choose";
import { view } from "./views";

const NONE = { current: new Set<string>(), pinned: new Set<string>(), showResolved: false };

function many(count: number, changes: Partial<ReviewView> = {}, prefix = "t"): ReviewView[] {
  return Array.from({ length: count }, (_, index) => view(`${prefix}${index}`, changes));
}

test("threads that wait on the reviewer come first", () => {
  const waiting = many(30, { waiting_on: "reviewer" }, "w");
  const choice = choose([...many(30), ...waiting], NONE);
  assert.equal(choice.shown.length, MAX_SHOWN);
  assert.ok(waiting.every((each) => choice.shown.includes(each)));
  assert.equal(choice.rest.length, 20);
});

test("threads near the visible lines are shown, on these lines before those that wait on the reviewer", () => {
  const at = (line: number, waiting_on: string) =>
    view(`${waiting_on}${line}`, { waiting_on, placement: { state: "exact", path: "a.rs", start_line: line, end_line: line } });
  const lines = Array.from({ length: 100 }, (_, line) => line);
  const views = [...lines.map((line) => at(line, "agent")), at(95, "reviewer"), at(5, "reviewer")];
  const shown = choose(views, { ...NONE, visible: { start: 40, end: 69 } }).shown.map(({ id }) => id);
  assert.equal(shown.length, MAX_SHOWN);
  assert.deepEqual(new Set(shown.slice(0, 30)), new Set(lines.slice(40, 70).map((line) => `agent${line}`)));
  assert.deepEqual(shown.slice(30, 32), ["reviewer95", "reviewer5"]);
  assert.deepEqual(new Set(shown.slice(32)), new Set([36, 37, 38, 39, 70, 71, 72, 73].map((line) => `agent${line}`)));
});

test("drafts are shown in any number", () => {
  const choice = choose([...many(50, { status: "draft" }, "d"), ...many(3)], NONE);
  assert.equal(choice.shown.length, 50);
  assert.equal(choice.rest.length, 3);
});

test("threads that are shown stay while there is room", () => {
  const views = many(50);
  const choice = choose(views, { ...NONE, current: new Set(views.slice(20).map((each) => each.id)) });
  assert.ok(views.slice(20).every((each) => choice.shown.includes(each)));
});

test("resolved threads are counted, not listed", () => {
  const choice = choose([...many(2), ...many(5, { status: "resolved" }, "r")], NONE);
  assert.equal(choice.shown.length, 2);
  assert.equal(choice.hiddenResolved, 5);
  assert.deepEqual(choice.rest, []);
});

test("the list of the rest is limited too", () => {
  const { lines, more } = listRest(many(120));
  assert.equal(lines.length, 100);
  assert.equal(more, 20);
});
