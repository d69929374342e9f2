// What a thread and its comments show in the editor; pure.
import type { Comment, ReviewView } from "../documents";
import { formatPlace } from "../paths";
import { hasSuggestion } from "./markdown";

export interface CommentFields {
  id: string;
  /** Unique in its thread, which ids in files by other programs may not be. */
  key: string;
  author: string;
  body: string;
  label: string;
  contextValue: string;
  createdAt: string | null;
}

export interface ThreadFields {
  label: string;
  /** Words that the `when` clauses of the menus look for. */
  contextValue: string;
  resolved: boolean;
  canReply: boolean;
  comments: CommentFields[];
}

/** Where a thread is in its file: on lines, counted from 0, or on the whole file. */
export interface Location {
  path: string;
  lines: { start: number; end: number } | null;
}

/** Returns where the thread belongs; undefined if its file cannot be read. */
export function locationOf(view: ReviewView): Location | undefined {
  const placement = view.placement;
  if (placement === null) {
    return undefined;
  }
  const { path, start_line: start, end_line: end } = placement;
  if (start === null && view.target?.range) {
    // The code is gone. The first line has a mark; a folded thread on the whole file would have none.
    return { path, lines: { start: 0, end: 0 } };
  }
  return { path, lines: start === null ? null : { start, end: end ?? start } };
}

/** Whether a document has the code of a thread where the list says: it may have been made before or after an edit. */
export function hasCode(view: ReviewView, lineAt: (line: number) => string | undefined): boolean {
  const { lines } = locationOf(view) ?? {};
  const { code } = view;
  if (!lines || !code) {
    return true;
  }
  const seen = code.lines.slice(lines.start - code.start_line, lines.end - code.start_line + 1);
  return seen.every((text, index) => lineAt(lines.start + index) === text.replace(/\r$/, ""));
}

export function isDraft(view: { status: string | null }): boolean {
  return view.status === "draft";
}

export function isResolved(view: { status: string | null }): boolean {
  return view.status === "resolved";
}

export function waitsOnReviewer(view: { waiting_on: string | null }): boolean {
  return view.waiting_on === "reviewer";
}

/** Whether the thread suggests a change that can still be applied. */
export function offersChange(view: ReviewView): boolean {
  return !isResolved(view) && view.comments.some((comment) => hasSuggestion(comment.body));
}

/** The states in which the commented text is at the location of the thread, or is not compared. */
const HAS_COMMENTED_TEXT = new Set(["exact", "shifted", "moved", "not_checked_out", "unverified"]);

/** Whether the commented text differs from the current code, so that it is worth showing. */
export function hasOldText(view: ReviewView): boolean {
  const state = view.placement?.state;
  return view.selection !== null && state !== undefined && !HAS_COMMENTED_TEXT.has(state);
}

export function threadFields(view: ReviewView): ThreadFields {
  return {
    label: threadLabel(view),
    contextValue: threadContext(view),
    resolved: isResolved(view),
    canReply: true,
    comments: view.comments.map((comment, index) => {
      const earlier = view.comments.slice(0, index).filter((each) => each.id === comment.id);
      return { ...commentFields(comment, isDraft(view)), key: `${comment.id}#${earlier.length}` };
    }),
  };
}

/** The parts of the label, most important first; read aloud by screen readers. */
export function threadLabel(view: ReviewView): string {
  return [turn(view), ...codeState(view)].join(", ");
}

function turn(view: ReviewView): string {
  if (isDraft(view)) {
    return "Draft, not submitted";
  }
  if (isResolved(view)) {
    return "Resolved";
  }
  if (view.proposed_resolved === true) {
    return `${view.last_author ?? "An agent"} proposes to resolve`;
  }
  const claim = view.claim ? `, claimed by ${view.claim.by}` : "";
  if (view.waiting_on_name) {
    return `Waits on ${view.waiting_on_name}${claim}`;
  }
  return (waitsOnReviewer(view) ? "Waits on you" : "Waits on an agent") + claim;
}

function codeState(view: ReviewView): string[] {
  const from = view.target ? placeOfTarget(view.target) : "another place";
  const otherFile = view.target && view.placement && view.placement.path !== view.target.path;
  switch (view.placement?.state) {
    case "replaced":
      return [`code replaced${certainty(view)}`, ...(otherFile ? [`moved from ${from}`] : [])];
    case "exact":
    case "shifted":
    case undefined:
      return otherFile ? [`moved from ${from}`] : [];
    case "moved":
      return [`moved from ${from}`];
    case "gone":
      return [`code gone, was at ${from}`];
    case "not_checked_out":
      return ["not checked out"];
    case "unverified":
      return ["code not compared"];
    // A state that this extension does not know says that the code was changed.
    default:
      return [`code edited${certainty(view)}`, ...(otherFile ? [`moved from ${from}`] : [])];
  }
}

function certainty(view: ReviewView): string {
  const confidence = view.placement?.confidence;
  return confidence === undefined ? "" : ` (${Math.round(confidence * 100)} % sure)`;
}

function placeOfTarget(target: NonNullable<ReviewView["target"]>): string {
  return target.range ? formatPlace(target.path, target.range.start_line, target.range.end_line) : target.path;
}

function threadContext(view: ReviewView): string {
  const words = ["skein", isDraft(view) ? "draft" : isResolved(view) ? "resolved" : "open"];
  if (view.proposed_resolved === true && !isResolved(view)) {
    words.push("proposed");
  }
  if (offersChange(view)) {
    words.push("suggestion");
  }
  if (hasOldText(view)) {
    words.push("old");
  }
  return words.join(" ");
}

function commentFields(comment: Comment, draft: boolean): Omit<CommentFields, "key"> {
  return {
    id: comment.id,
    author: comment.author,
    body: comment.body,
    label: draft ? "draft" : comment.agent && !comment.author.endsWith("[agent]") ? "agent" : "",
    contextValue: comment.own === true ? "skein own" : "skein other",
    createdAt: comment.created_at,
  };
}
