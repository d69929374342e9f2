// Threads for tests.
import type { Comment, ReviewView } from "../src/documents";

export function comment(body: string, author = "Mira", id = `c-${body}`): Comment {
  return { id, author, agent: author !== "Mira", created_at: "2026-01-23T14:30:00.000Z", body, own: author === "Mira" };
}

/** An open thread on line 5 of a.rs that waits on an agent. */
export function view(id: string, changes: Partial<ReviewView> = {}): ReviewView {
  return {
    id,
    title: id,
    file: `/r/.code-review/threads/${id}.md`,
    status: "open",
    created_at: "2026-01-23T14:30:00.000Z",
    updated_at: "2026-01-23T14:30:00.000Z",
    usable: true,
    diagnostics: [],
    target: { path: "a.rs", range: { start_line: 4, start_character: 0, end_line: 4, end_character: 9 } },
    at: "a.rs:5",
    waiting_on: "agent",
    last_author: "Mira",
    comments: [comment("Why?")],
    placement: { state: "exact", path: "a.rs", start_line: 4, end_line: 4 },
    selection: "let x = 1",
    patch: null,
    base_commit: null,
    ...changes,
  };
}
