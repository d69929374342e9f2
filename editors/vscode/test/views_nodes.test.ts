import assert from "node:assert/strict";
import { test } from "node:test";
import type { Checkpoint, Overview, ReviewRow } from "../src/documents";
import { age } from "../src/views/age";
import { byRoot, type TreeNode, withUniqueIds } from "../src/views/node";
import { reviewNodes } from "../src/views/reviews_nodes";
import { shortPaths } from "../src/views/short_paths";
import { sessionNodes } from "../src/views/session_nodes";
import { statusText } from "../src/views/status_text";
import { dayOf, workNodes } from "../src/views/work_nodes";
import { view } from "./views";

/** 10 minutes after the last change of all threads. */
const NOW = new Date("2026-01-23T14:40:00.000Z");

function overview(changes: Partial<Overview> = {}): Overview {
  return {
    root: "/r",
    branch: "main",
    waiting_on_reviewer: [],
    waiting_on_agent: [],
    drafts: [],
    resolved: 0,
    unusable: [],
    ...changes,
  };
}

function row(id: string, at: string, changes: Partial<ReviewRow> = {}): ReviewRow {
  return { ...view(id), at, ...changes };
}

/** The nodes as indented lines. */
function outline(nodes: TreeNode[], indent = ""): string[] {
  return nodes.flatMap((node) => [
    `${indent}${node.label}${node.description ? ` (${node.description})` : ""}`,
    ...outline(node.children ?? [], `${indent}  `),
  ]);
}

test("threads are listed by turn and by file", () => {
  const nodes = reviewNodes(
    overview({
      waiting_on_reviewer: [
        row("a", "src/b.rs:9", { proposed_resolved: true, last_author: "Codex", last_line: "Fixed.", comment_count: 2 }),
      ],
      waiting_on_agent: [
        row("b", "src/a.rs:7", { claim: { by: "Codex", until: "" } }),
        row("c", "src/b.rs:2-3", { state: "edited" }),
      ],
      drafts: [row("d", "src/a.rs", { status: "draft" })],
    }),
    NOW,
  );
  assert.deepEqual(outline(nodes), [
    "Waiting on You (1)",
    "  b.rs:9 (Codex proposes to resolve, 10 min: Fixed.)",
    "Drafts (1)",
    "  a.rs (d)",
    "Waiting on an Agent (2)",
    "  a.rs:7 (claimed by Codex, Mira, 10 min: b)",
    "  b.rs:2-3 (edited, Mira, 10 min: c)",
    "By File (2)",
    "  src/a.rs (1)",
    "    Line 7 (claimed by Codex, Mira, 10 min: b)",
    "  src/b.rs (2)",
    "    Lines 2-3 (edited, Mira, 10 min: c)",
    "    Line 9 (Codex proposes to resolve, 10 min: Fixed.)",
  ]);
});

test("a thread in the view has the words for its menu, and names its root", () => {
  const [you] = reviewNodes(overview({ waiting_on_reviewer: [row("a", "b.rs:9", { proposed_resolved: true })] }), NOW);
  const [thread] = you?.children ?? [];
  assert.equal(thread?.contextValue, "thread open proposed");
  assert.equal(thread?.root, "/r");
  assert.equal(thread?.threadId, "a");
});

test("every node of a view has its own id", () => {
  const rows = [row("a", "b.rs:9"), row("b", "b.rs:10")];
  const ids: string[] = [];
  const collect = (nodes: TreeNode[]) => {
    for (const node of nodes) {
      ids.push(node.id);
      collect(node.children ?? []);
    }
  };
  collect(reviewNodes(overview({ waiting_on_reviewer: rows, drafts: [row("a", "b.rs:9")] }), NOW));
  assert.equal(new Set(ids).size, ids.length);
});

test("without threads there are no nodes", () => {
  assert.deepEqual(reviewNodes(overview(), NOW), []);
});

test("files with the same name have as many directories as distinguish them", () => {
  const paths = ["a/src/mod.rs", "b/src/mod.rs", "src/mod.rs", "src/lib.rs", "mod.rs"];
  assert.deepEqual([...shortPaths(paths).values()], ["a/src/mod.rs", "b/src/mod.rs", "src/mod.rs", "lib.rs", "mod.rs"]);
  const [agent] = reviewNodes(overview({ waiting_on_agent: [row("a", "a/x.rs:1"), row("b", "b/x.rs:2"), row("c", "b/y.rs")] }), NOW);
  assert.deepEqual(agent?.children?.map(({ label }) => label), ["a/x.rs:1", "b/x.rs:2", "y.rs"]);
});

test("a thread file that cannot be read is shown with the reason, and offers no command on threads", () => {
  const diagnostics = [
    { code: "W", severity: "warning", path: "/r/x.md", message: "A remark." },
    { code: "E", severity: "error", path: "/r/x.md", line: 3, message: "The metadata block has no end." },
  ];
  const damaged = row("x", "a.rs:1", { usable: false, status: null, file: "/r/x.md", diagnostics });
  const [section] = reviewNodes(overview({ unusable: [damaged] }), NOW);
  assert.equal(section?.expanded, true);
  const [node] = section?.children ?? [];
  assert.deepEqual([node?.label, node?.description], ["x", "line 3: The metadata block has no end."]);
  assert.match(node?.tooltip ?? "", /A remark\./);
  assert.deepEqual([node?.command, node?.path, node?.line], ["skein.openThreadFile", "/r/x.md", 2]);
  assert.equal(node?.contextValue, "thread damaged");
  assert.match(statusText([overview({ unusable: [damaged] })])?.tooltip ?? "", /1 file cannot be read/);
});

test("an age has one unit", () => {
  const ages = ["2026-01-23T14:39:30Z", "2026-01-23T14:31:00Z", "2026-01-23T11:00:00Z", "2026-01-20T11:00:00Z", "2024-01-20T11:00:00Z"];
  assert.deepEqual(ages.map((time) => age(time, NOW)), ["now", "9 min", "3 h", "3 d", "2 y"]);
  assert.equal(age(null, NOW), undefined);
});

test("several roots have a node each, a single one has none", () => {
  const nodes = [{ id: "x", label: "x" }];
  assert.deepEqual(byRoot([{ path: "/r", name: "r", nodes }]), nodes);
  const two = byRoot([
    { path: "/r", name: "r", nodes },
    { path: "/s", name: "s", nodes: [] },
  ]);
  assert.deepEqual(outline(two), ["r", "  x"]);
});

function checkpoint(changes: Partial<Checkpoint>): Checkpoint {
  return {
    id: "T-1",
    title: "Cache",
    file: "/r/T-1.json",
    status: null,
    updated_at: "2026-01-23T12:00:00",
    type: "checkpoint",
    summary: "Done.",
    git: { branch: "main" },
    open_steps: 1,
    usable: true,
    files: [{ path: "a.rs", reason: "changed", deleted: false }],
    next_steps: [
      { id: "T-1#1", step: "Test", status: "open" },
      { id: "T-1#2", step: "Write", status: "done" },
      { id: "T-1#3", step: "Ask", status: "dropped" },
    ],
    ...changes,
  };
}

test("checkpoints are listed by day, with steps and files", () => {
  const older = checkpoint({ id: "T-0", title: "Old", updated_at: "2026-01-20T12:00:00", type: "handoff", files: [], next_steps: [] });
  const nodes = workNodes("/r", [checkpoint({}), older], new Date("2026-01-23T15:00:00"));
  assert.deepEqual(outline(nodes), [
    "Today",
    "  Cache (1 open)",
    "    Test",
    "    Write",
    "    Ask (dropped)",
    "    a.rs (changed)",
    "2026-01-20",
    "  Old (handoff, 1 open)",
  ]);
  const steps = nodes[0]?.children?.[0]?.children ?? [];
  assert.deepEqual(
    steps.map((step) => step.checked),
    [false, true, true, undefined],
  );
  assert.deepEqual(steps[0]?.step, { id: "T-1#1", text: "Test" });
});

test("ids are unique in a view, also if a file names a step or a file twice", () => {
  const step = { id: "T-1#1", step: "Test", status: "open" };
  const file = { path: "a.rs", reason: null, deleted: false };
  const twice = checkpoint({ next_steps: [step, step], files: [file, file, file] });
  const nodes = withUniqueIds(workNodes("/r", [twice, twice], new Date("2026-01-23T15:00:00")));
  const idsOf = (node: TreeNode): string[] => [node.id, ...(node.children ?? []).flatMap(idsOf)];
  const ids = nodes.flatMap(idsOf);
  assert.equal(ids.length, 13);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(nodes[0]?.children?.[0]?.id, "/r/T-1");
});

test("days are those of the machine's time zone", () => {
  const now = new Date("2026-03-01T08:00:00");
  assert.equal(dayOf("2026-03-01T00:10:00", now), "Today");
  assert.equal(dayOf("2026-02-28T23:50:00", now), "Yesterday");
  assert.equal(dayOf("2026-02-27T12:00:00", now), "2026-02-27");
  assert.equal(dayOf(null, now), "Without a Date");
});

test("sessions have their status and project", () => {
  const session = { id: "s1", title: "", status: "ended", updated_at: null, project_name: "lantern", directory: "/x", short_id: null };
  assert.deepEqual(outline(sessionNodes("/r", [session])), ["s1 (ended, lantern)"]);
});

test("the status bar says what waits on the user", () => {
  assert.equal(statusText([overview()]), undefined);
  const two = statusText([
    overview({ waiting_on_reviewer: [row("a", "a.rs:1")], drafts: [row("d", "a.rs:2")] }),
    overview({ waiting_on_reviewer: [row("b", "a.rs:1")], waiting_on_agent: [row("c", "a.rs:3")] }),
  ]);
  assert.equal(two?.text, "$(comment-discussion) 2 wait on you");
  assert.equal(two?.tooltip, "Review threads: 2 wait on you, 1 waits on an agent, 1 draft");
});
