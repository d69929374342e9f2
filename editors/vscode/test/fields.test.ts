import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReviewView } from "../src/documents";
import { hasCode, hasOldText, locationOf, threadFields, threadLabel } from "../src/threads/fields";
import { comment, view } from "./views";

function label(changes: Partial<ReviewView>): string {
  return threadLabel(view("a", changes));
}

test("the label says whose turn it is", () => {
  assert.equal(label({}), "Waits on an agent");
  assert.equal(label({ waiting_on: "reviewer" }), "Waits on you");
  assert.equal(label({ waiting_on: "reviewer", waiting_on_name: "Tom" }), "Waits on Tom");
  assert.equal(label({ claim: { by: "Codex", until: "" } }), "Waits on an agent, claimed by Codex");
  assert.equal(label({ proposed_resolved: true, last_author: "Codex" }), "Codex proposes to resolve");
  assert.equal(label({ status: "resolved", proposed_resolved: true }), "Resolved");
  assert.equal(label({ status: "draft", waiting_on: null }), "Draft, not submitted");
});

test("the label says what became of the code", () => {
  const at = (state: string, path = "a.rs", line: number | null = 4) =>
    label({ placement: { state, path, start_line: line, end_line: line } });
  assert.equal(at("shifted"), "Waits on an agent");
  assert.equal(at("edited"), "Waits on an agent, code edited");
  assert.equal(at("moved"), "Waits on an agent, moved from a.rs:5");
  assert.equal(at("exact", "b.rs"), "Waits on an agent, moved from a.rs:5");
  assert.equal(at("edited", "b.rs"), "Waits on an agent, code edited, moved from a.rs:5");
  assert.equal(at("gone", "a.rs", null), "Waits on an agent, code gone, was at a.rs:5");
  assert.equal(at("unverified"), "Waits on an agent, code not compared");
  assert.equal(at("replaced"), "Waits on an agent, code replaced");
  assert.equal(at("a state of a later version"), "Waits on an agent, code edited");
  const placement = { state: "replaced", path: "a.rs", start_line: 4, end_line: 5, confidence: 0.85 };
  assert.equal(label({ placement }), "Waits on an agent, code replaced (85 % sure)");
});

test("the context has a word for each command that applies", () => {
  const words = (changes: Partial<ReviewView>) => threadFields(view("a", changes)).contextValue;
  assert.equal(words({}), "skein open");
  assert.equal(words({ status: "draft" }), "skein draft");
  assert.equal(words({ proposed_resolved: true }), "skein open proposed");
  const suggestion = [comment("Better:\n\n```suggestion\nx\n```")];
  assert.equal(words({ comments: suggestion }), "skein open suggestion");
  assert.equal(words({ comments: suggestion, status: "resolved" }), "skein resolved");
  const gone = { state: "gone", path: "a.rs", start_line: null, end_line: null };
  assert.equal(words({ placement: gone }), "skein open old");
  assert.equal(words({ placement: { ...gone, state: "replaced", start_line: 4, end_line: 4 } }), "skein open old");
});

test("comments of agents and of other people cannot be edited", () => {
  const other = { ...comment("o"), author: "Tom", own: false };
  const comments = [comment("x"), other, comment("y", "Codex"), { ...comment("z", "Codex"), author: "Tom [agent]" }];
  const fields = threadFields(view("a", { comments }));
  assert.deepEqual(
    fields.comments.map((each) => [each.label, each.contextValue]),
    [
      ["", "skein own"],
      ["", "skein other"],
      ["agent", "skein other"],
      // The name says it already.
      ["", "skein other"],
    ],
  );
});

test("code that is gone is on the first line, and a comment on a file has no lines", () => {
  const gone = view("a", { placement: { state: "gone", path: "a.rs", start_line: null, end_line: null } });
  assert.deepEqual(locationOf(gone), { path: "a.rs", lines: { start: 0, end: 0 } });
  const file = view("a", {
    target: { path: "a.rs", range: null },
    placement: { state: "exact", path: "a.rs", start_line: null, end_line: null },
  });
  assert.deepEqual(locationOf(file), { path: "a.rs", lines: null });
  assert.equal(hasOldText(gone), true);
  assert.equal(locationOf(view("a", { placement: null })), undefined);
  assert.equal(hasOldText(view("a")), false);
});

test("a document has the code of a thread only where it has the same lines", () => {
  const listed = view("a", { code: { path: "a.rs", start_line: 3, lines: ["fn a() {", "let x = 1", "}"] } });
  const document = ["", "", "", "fn a() {", "let x = 1", "}"];
  assert.equal(hasCode(listed, (line) => document[line]), true);
  assert.equal(hasCode(listed, (line) => ["// new", ...document][line]), false);
  assert.equal(hasCode(listed, () => undefined), false);
  assert.equal(hasCode(view("a"), () => undefined), true, "a thread whose code is not listed");
});
