import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { commands } from "vscode";
import type { Deleted, Overview, ReviewRow } from "../src/documents";
import { ReviewCommands } from "../src/review_commands";
import type { Roots } from "../src/roots";
import type { ThreadController } from "../src/threads/controller";
import { view } from "./views";
import { answers, messages } from "./vscode";

/** One root, which records what is written. */
function scene(overview: Partial<Overview>, deleted: Partial<Deleted>[] = []) {
  const written: string[] = [];
  const reviews = {
    overview: async () => ({ drafts: [], waiting_on_reviewer: [], ...overview }),
    deleted: async () => deleted,
    submit: async () => (written.push("submit"), overview.drafts ?? []),
    resolveAll: async (ids: string[]) => (written.push(`resolve ${ids.join(" ")}`), ids),
    restoreAll: async (ids: string[]) => void written.push(`restore ${ids.join(" ")}`),
  };
  const roots = { all: [{ path: "/r", reviews }] } as unknown as Roots;
  const controller = { refreshAll: async () => undefined } as unknown as ThreadController;
  new ReviewCommands(roots, controller, () => undefined).register();
  return written;
}

beforeEach(() => void messages.splice(0));

test("a submit without drafts wakes agents only after a question", async () => {
  const written = scene({});
  await commands.executeCommand("skein.submitReview");
  assert.deepEqual(written, []);
  assert.match(messages[0] ?? "", /no drafts/);
  answers.push(Promise.resolve("Tell the Agents"));
  await commands.executeCommand("skein.submitReview");
  assert.deepEqual(written, ["submit"]);
});

test("drafts are submitted without a question", async () => {
  const written = scene({ drafts: [view("a", { status: "draft" })] });
  await commands.executeCommand("skein.submitReview");
  assert.deepEqual(written, ["submit"]);
});

const proposed: ReviewRow[] = ["a", "b"].map((id) => view(id, { proposed_resolved: true, at: `${id}.rs:1` }));

test("proposals are accepted after a question that names them, and no others", async () => {
  const written = scene({ waiting_on_reviewer: [...proposed, view("c")] });
  answers.push(Promise.resolve(undefined));
  await commands.executeCommand("skein.acceptAllProposals");
  assert.deepEqual(written, []);
  assert.match(messages[0] ?? "", /2 threads[^]*a\.rs:1: a\nb\.rs:1: b$/);
  await commands.executeCommand("skein.acceptAllProposals");
  assert.deepEqual(written, ["resolve a b"]);
});

test("without proposals nothing is asked", async () => {
  const written = scene({ waiting_on_reviewer: [view("c")] });
  await commands.executeCommand("skein.acceptAllProposals");
  assert.deepEqual(written, []);
  assert.match(messages[0] ?? "", /No agent proposes/);
});

test("deleted threads are restored, each once", async () => {
  const deleted = [{ id: "a", at: "a.rs:1", deleted: "20260123-143052", title: "Why?" }, { id: "b", deleted: "" }, { id: "a", deleted: "" }];
  const written = scene({}, deleted);
  await commands.executeCommand("skein.restoreThreads");
  assert.deepEqual(written, ["restore a b"]);
  await scene({});
  await commands.executeCommand("skein.restoreThreads");
  assert.match(messages.at(-1) ?? "", /No deleted threads/);
});
