import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_SHOWN } from "../src/threads/choose";
import type { Location, ThreadFields } from "../src/threads/fields";
import { type ApplyOptions, ShownThreads, type Widget } from "../src/threads/shown";
import { comment, view } from "./views";

class FakeWidget implements Widget {
  moves: Location["lines"][] = [];
  disposed = false;
  expanded = true;

  constructor(
    readonly id: string,
    public fields: ThreadFields,
  ) {}

  update(fields: ThreadFields): void {
    this.fields = fields;
  }

  move(lines: Location["lines"]): void {
    this.moves.push(lines);
  }

  dispose(): void {
    this.disposed = true;
  }
}

const OPTIONS: ApplyOptions = { isCurrent: () => true };

function shownIn(path = "a.rs"): { shown: ShownThreads; made: FakeWidget[] } {
  const made: FakeWidget[] = [];
  const shown = new ShownThreads(path, {
    create(id, _location, fields) {
      const widget = new FakeWidget(id, fields);
      made.push(widget);
      return widget;
    },
  });
  return { shown, made };
}

test("a thread whose file is damaged while the user may write in it says so, and offers nothing", () => {
  const { shown, made } = shownIn();
  shown.apply([view("a")], OPTIONS);
  shown.apply([], { ...OPTIONS, isDamaged: (id) => id === "a" });
  assert.match(made[0]?.fields.label ?? "", /damaged/);
  assert.equal(made[0]?.fields.contextValue, "skein damaged");
  shown.apply([view("a")], OPTIONS);
  assert.equal(made[0]?.fields.contextValue, "skein open");
  assert.equal(made.length, 1);
});

test("a reply changes the thread in place", () => {
  const { shown, made } = shownIn();
  shown.apply([view("a")], OPTIONS);
  shown.apply([view("a", { comments: [comment("Why?"), comment("Done.", "Codex")] })], OPTIONS);
  assert.equal(made.length, 1);
  assert.equal(made[0]?.fields.comments.length, 2);
  assert.deepEqual(made[0]?.moves, []);
});

test("a thread moves only if its location changed", () => {
  const { shown, made } = shownIn();
  const moved = view("a", { placement: { state: "shifted", path: "a.rs", start_line: 7, end_line: 8 } });
  shown.apply([view("a")], OPTIONS);
  shown.apply([moved], { ...OPTIONS, isCurrent: () => false });
  assert.deepEqual(made[0]?.moves, []);
  shown.apply([moved], OPTIONS);
  shown.apply([moved], OPTIONS);
  assert.deepEqual(made[0]?.moves, [{ start: 7, end: 8 }]);
  shown.forgetLines();
  shown.apply([moved], OPTIONS);
  assert.equal(made[0]?.moves.length, 2);
});

test("a thread that the editor has moved with its code is not moved again", () => {
  const { shown, made } = shownIn();
  shown.apply([view("a")], OPTIONS);
  shown.follow([{ start: 0, end: 0, addedLineEnds: 3 }]);
  shown.apply([view("a", { placement: { state: "shifted", path: "a.rs", start_line: 7, end_line: 7 } })], OPTIONS);
  assert.deepEqual(made[0]?.moves, []);
  // Where the editor has it now is not certain.
  shown.follow([{ start: 7, end: 7, addedLineEnds: 1 }]);
  shown.apply([view("a", { placement: { state: "shifted", path: "a.rs", start_line: 8, end_line: 8 } })], OPTIONS);
  assert.deepEqual(made[0]?.moves, [{ start: 8, end: 8 }]);
});

test("a thread that was resolved stays until the file is opened again", () => {
  const { shown, made } = shownIn();
  shown.apply([view("a")], OPTIONS);
  shown.apply([view("a", { status: "resolved", waiting_on: null })], OPTIONS);
  assert.equal(made[0]?.disposed, false);
  assert.equal(made[0]?.fields.resolved, true);
});

test("resolved threads are shown on demand", () => {
  const { shown, made } = shownIn();
  const resolved = view("a", { status: "resolved" });
  assert.equal(shown.apply([resolved], OPTIONS).hiddenResolved, 1);
  assert.equal(made.length, 0);
  shown.showResolved = true;
  assert.equal(shown.apply([resolved], OPTIONS).hiddenResolved, 0);
  assert.equal(made.length, 1);
});

test("a thread that was deleted elsewhere is kept until the user folds it", () => {
  const { shown, made } = shownIn();
  shown.apply([view("a")], OPTIONS);
  shown.apply([], OPTIONS);
  shown.apply([], OPTIONS);
  shown.disposeFolded();
  const [widget] = made;
  assert.ok(widget);
  assert.equal(widget.disposed, false);
  assert.equal(widget.fields.label, "Deleted elsewhere");
  widget.expanded = false;
  shown.disposeFolded();
  assert.equal(widget.disposed, true);
});

test("a folded thread that was deleted elsewhere is removed at once", () => {
  const { shown, made } = shownIn();
  shown.apply([view("a")], OPTIONS);
  for (const widget of made) {
    widget.expanded = false;
  }
  shown.apply([], OPTIONS);
  assert.equal(made[0]?.disposed, true);
  assert.equal(shown.has("a"), false);
});

test("a thread that comes back is the same object", () => {
  const { shown, made } = shownIn();
  shown.apply([view("a")], OPTIONS);
  shown.apply([], OPTIONS);
  shown.apply([view("a")], OPTIONS);
  assert.equal(made.length, 1);
  assert.equal(made[0]?.fields.label, "Waits on an agent");
});

test("a thread whose code went to another file says where it is", () => {
  const { shown, made } = shownIn();
  shown.apply([view("a")], OPTIONS);
  const away = view("a", { at: "b.rs:2", placement: { state: "moved", path: "b.rs", start_line: 1, end_line: 1 } });
  shown.apply([away], OPTIONS);
  assert.equal(made[0]?.fields.label, "Code is now at b.rs:2");
  const other = shownIn("b.rs");
  other.shown.apply([away], OPTIONS);
  assert.equal(other.made.length, 1);
});

test("a thread that the user deleted is removed at once", () => {
  const { shown, made } = shownIn();
  shown.apply([view("a")], OPTIONS);
  shown.remove("a");
  assert.equal(made[0]?.disposed, true);
  assert.equal(shown.has("a"), false);
});

test("the box of the first comment becomes the thread", () => {
  const { shown, made } = shownIn();
  const box = new FakeWidget("box", { label: "", contextValue: "", resolved: false, canReply: true, comments: [] });
  shown.adopt(view("a"), box);
  shown.apply([view("a")], OPTIONS);
  assert.equal(made.length, 0);
  assert.equal(box.fields.comments.length, 1);
});

test("a thread in which the user may write is never replaced by others", () => {
  const { shown, made } = shownIn();
  const many = Array.from({ length: MAX_SHOWN }, (_, index) => view(`t${index}`));
  shown.apply(many, OPTIONS);
  for (const widget of made) {
    widget.expanded = widget.id === "t1";
  }
  shown.pin("t0");
  const waiting = Array.from({ length: MAX_SHOWN }, (_, index) => view(`w${index}`, { waiting_on: "reviewer" }));
  const choice = shown.apply([...many, ...waiting], OPTIONS);
  assert.equal(made.find((widget) => widget.id === "t0")?.disposed, false);
  assert.equal(made.find((widget) => widget.id === "t1")?.disposed, false);
  assert.equal(made.filter((widget) => !widget.disposed).length, MAX_SHOWN);
  assert.equal(choice.rest.length, MAX_SHOWN);
});

test("a command gets the thread on a line that it applies to", () => {
  const { shown, made } = shownIn();
  const on = (start: number, end: number) => ({ placement: { state: "exact", path: "a.rs", start_line: start, end_line: end } });
  shown.apply([view("wide", on(2, 9)), view("narrow", on(4, 5)), view("done", { ...on(4, 4), status: "resolved" })], OPTIONS);
  const idAt = (line: number, applies = (_: unknown) => true) => (shown.at(line, applies)?.widget as FakeWidget | undefined)?.id;
  for (const widget of made) {
    widget.expanded = false;
  }
  assert.equal(idAt(4), "narrow");
  assert.equal(idAt(8), "wide");
  assert.equal(idAt(10), undefined);
  assert.equal(idAt(4, () => false), undefined);
  // An edit within the lines, which the list does not know yet.
  shown.follow([{ start: 4, end: 4, addedLineEnds: 3 }]);
  assert.equal(idAt(7), "narrow");
  const [wide] = made;
  if (wide !== undefined) {
    wide.expanded = true;
  }
  assert.equal(idAt(7), "wide");
});

test("a thread that has left the file is kept up to date until it is folded", () => {
  const { shown, made } = shownIn();
  shown.apply([view("a")], OPTIONS);
  const placement = { state: "moved", path: "b.rs", start_line: 7, end_line: 7 } as const;
  shown.apply([view("a", { at: "b.rs:8", placement })], OPTIONS);
  shown.apply([view("a", { at: "b.rs:9", placement, comments: [comment("Why?"), comment("Done.", "Codex")] })], OPTIONS);
  assert.equal(made[0]?.fields.comments.length, 2);
  assert.match(made[0]?.fields.label ?? "", /b\.rs:9/);
});
