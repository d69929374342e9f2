// The documents that `skein --json` prints, as far as they are used here (see docs/json.md), and the check that a
// document has the expected form. Unknown fields are ignored.

export interface Diagnostic {
  code: string;
  severity: string;
  path: string;
  line?: number;
  message: string;
}

/** Lines and columns count from 0. */
export interface TargetRange {
  start_line: number;
  start_character: number;
  end_line: number;
  end_character: number;
}

/** The current location of the code. Lines count from 0 and are null for a whole file and for code that is gone. */
export interface Placement {
  state: string;
  path: string;
  start_line: number | null;
  end_line: number | null;
  /** From 0 to 1. */
  confidence?: number;
}

export interface Comment {
  id: string;
  author: string;
  agent: boolean;
  created_at: string | null;
  body: string;
  /** Whether the user wrote it, who can then edit it. Not part of the document. */
  own?: boolean;
}

export interface ReviewRow {
  id: string;
  title: string;
  file: string;
  status: string | null;
  created_at: string | null;
  updated_at: string | null;
  usable: boolean;
  diagnostics: Diagnostic[];
  target: { path: string; range: TargetRange | null } | null;
  at: string | null;
  state?: string | null;
  waiting_on: string | null;
  waiting_on_name?: string | null;
  claim?: { by: string; until: string } | null;
  comment_count?: number | null;
  last_author: string | null;
  last_line?: string | null;
  proposed_resolved?: boolean;
}

export interface ReviewView extends ReviewRow {
  comments: Comment[];
  placement: Placement | null;
  selection: string | null;
  patch: string | null;
  base_commit: string | null;
  /** The current code of the thread; the lines count from 0. */
  code?: { path: string; start_line: number; lines: string[] } | null;
}

export interface Written {
  id: string;
  at: string | null;
  action: string;
  status: string | null;
  comment: string | null;
  diagnostics: Diagnostic[];
}

export interface Applied {
  id: string;
  at: string;
  removed: string[];
  added: string[];
  outcome: string;
  token?: string;
}

/** A thread in the trash. */
export interface Deleted {
  id: string;
  deleted: string;
  run: number;
  draft: boolean;
  at: string | null;
  title: string;
}

export interface Step {
  id: string;
  step: string;
  status: string;
}

export interface Checkpoint {
  id: string;
  title: string;
  file: string;
  status: string | null;
  updated_at: string | null;
  type: string;
  summary: string | null;
  git: { branch: string | null } | null;
  open_steps: number;
  usable: boolean;
  taken?: { by: string } | null;
  files: { path: string; reason: string | null; deleted: boolean }[];
  next_steps: Step[];
}

export interface Session {
  id: string;
  title: string;
  status: string | null;
  updated_at: string | null;
  project_name: string | null;
  directory: string | null;
  short_id: string | null;
  directory_exists?: boolean | null;
}

export interface Overview {
  root: string;
  branch: string | null;
  /** The name with which comments are signed. */
  author?: string;
  waiting_on_reviewer: ReviewRow[];
  waiting_on_agent: ReviewRow[];
  drafts: ReviewRow[];
  resolved: number;
  unusable: ReviewRow[];
}

export interface VersionInfo {
  version: string;
  json: number;
  features: string[];
}

export interface WatchEvent {
  kind: string;
  id: string;
  event: string;
  place?: string | null;
  state?: string | null;
  status?: string | null;
  by?: string | null;
  draft?: boolean;
}

export interface DiffLine {
  kind: string;
  new_line: number | null;
}

export interface DiffFile {
  path: string;
  status: string;
  binary: boolean;
  hunks: { lines: DiffLine[] }[];
}

/** A document of `skein` does not have the expected form. */
export class FormatError extends Error {
  override readonly name = "FormatError";
}

type Fields = Record<string, unknown>;
type Kind = "string" | "number" | "boolean" | "object" | "list";

export function asReviews(document: unknown): ReviewView[] {
  return list(document, "threads").map((item) => {
    check(item, "thread", { id: "string", file: "string", diagnostics: "list" });
    // A thread file that cannot be read has no comments and no location.
    const view = item as unknown as ReviewView;
    return { ...view, comments: view.comments ?? [], placement: view.placement ?? null };
  });
}

export function asReview(document: unknown): ReviewView {
  const [view] = asReviews({ threads: [document] });
  return view as ReviewView;
}

export function asWritten(document: unknown): Written[] {
  return list(document, "threads").map((item) => {
    check(item, "written thread", { id: "string", action: "string" });
    return item as unknown as Written;
  });
}

export function asDeleted(document: unknown): Deleted[] {
  return list(document, "deleted").map((item) => {
    check(item, "deleted thread", { id: "string", deleted: "string", title: "string" });
    return item as unknown as Deleted;
  });
}

export function asApplied(document: unknown): Applied[] {
  return list(document, "applied").map((item) => {
    check(item, "applied suggestion", { id: "string", at: "string", added: "list", outcome: "string" });
    return item as unknown as Applied;
  });
}

export function asCheckpoints(document: unknown): Checkpoint[] {
  return list(document, "threads").map((item) => {
    check(item, "checkpoint", { id: "string", file: "string" });
    const view = item as unknown as Checkpoint;
    return { ...view, files: view.files ?? [], next_steps: view.next_steps ?? [] };
  });
}

export function asSessions(document: unknown): Session[] {
  return list(document, "threads").map((item) => {
    check(item, "session", { id: "string" });
    return item as unknown as Session;
  });
}

export function asOverview(document: unknown): Overview {
  check(document, "overview", {
    root: "string",
    waiting_on_reviewer: "list",
    waiting_on_agent: "list",
    drafts: "list",
  });
  return document as unknown as Overview;
}

export function asVersion(document: unknown): VersionInfo {
  check(document, "version", { version: "string", json: "number", features: "list" });
  return document as unknown as VersionInfo;
}

export function asWatchEvent(document: unknown): WatchEvent {
  check(document, "event", { kind: "string", id: "string", event: "string" });
  return document as unknown as WatchEvent;
}

export function asDiffFiles(document: unknown): DiffFile[] {
  return list(document, "files").map((item) => {
    check(item, "changed file", { path: "string", status: "string", hunks: "list" });
    return item as unknown as DiffFile;
  });
}

function list(document: unknown, name: string): unknown[] {
  check(document, "document", { [name]: "list" });
  return document[name] as unknown[];
}

function check(value: unknown, what: string, fields: Record<string, Kind>): asserts value is Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new FormatError(`The ${what} is not an object.`);
  }
  for (const [name, kind] of Object.entries(fields)) {
    const field = (value as Fields)[name];
    const actual = Array.isArray(field) ? "list" : typeof field;
    if (actual !== kind) {
      throw new FormatError(`The field "${name}" of the ${what} is not a ${kind}.`);
    }
  }
}
