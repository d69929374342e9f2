// What the controller knows of a file whose threads are shown.
import * as vscode from "vscode";
import type { Backoff } from "../backoff";
import type { ReviewView, WatchEvent } from "../documents";
import { parsePlace } from "../paths";
import type { Root } from "../roots";
import type { LineChange, Lines } from "./follow";
import type { ShownThreads } from "./shown";
import type { Summary } from "./summary";

export interface FileState {
  root: Root;
  path: string;
  uri: vscode.Uri;
  shown: ShownThreads;
  summary: Summary;
  /** The threads of the last list. */
  views: ReviewView[];
  /** The open threads of the last list that are not shown. */
  rest: ReviewView[];
  /** Whether the list is older than the last event. */
  stale: boolean;
  /** How often the file was listed while the document did not have the same text. */
  retries: number;
  /** Pauses after lists that failed. */
  backoff: Backoff;
  disposed: boolean;
  timer: NodeJS.Timeout | undefined;
  scrollTimer: NodeJS.Timeout | undefined;
  listing: Promise<void>;
}

export function disposeFile(state: FileState): void {
  state.disposed = true;
  clearTimeout(state.timer);
  clearTimeout(state.scrollTimer);
  state.shown.dispose();
  state.summary.dispose();
}

/** Whether an event may change the threads of a file; undefined means that events may have been missed. */
export function concerns(event: WatchEvent | undefined, state: FileState): boolean {
  if (event === undefined || event.kind !== "review" || event.place == null) {
    return true;
  }
  return parsePlace(event.place).path === state.path || state.shown.has(event.id);
}

export function documentOf(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
}

export function lineChanges(changes: readonly vscode.TextDocumentContentChangeEvent[]): LineChange[] {
  return changes.map(({ range, text }) => ({
    start: range.start.line,
    end: range.end.line,
    addedLineEnds: text.split("\n").length - 1,
  }));
}

export function isVisible(uri: vscode.Uri): boolean {
  return vscode.window.visibleTextEditors.some((editor) => editor.document.uri.toString() === uri.toString());
}

/** The lines of a file that the user sees; undefined if it is not visible. */
export function visibleLines(uri: vscode.Uri): Lines | undefined {
  const ranges = vscode.window.visibleTextEditors
    .filter((editor) => editor.document.uri.toString() === uri.toString())
    .flatMap((editor) => editor.visibleRanges);
  if (ranges.length === 0) {
    return undefined;
  }
  return {
    start: Math.min(...ranges.map((range) => range.start.line)),
    end: Math.max(...ranges.map((range) => range.end.line)),
  };
}
