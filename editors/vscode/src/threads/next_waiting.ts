// The order in which the threads that wait on the user are visited, across files; pure.
import type { ReviewRow } from "../documents";
import { parsePlace } from "../paths";

/** A place in the files of a window. */
export interface Position {
  root: string;
  path: string;
  line: number;
}

export interface Stop extends Position {
  id: string;
}

/** Returns the threads that wait on the user, by root, path and line. */
export function stopsOf(roots: { root: string; waiting_on_reviewer: ReviewRow[] }[]): Stop[] {
  return roots
    .flatMap(({ root, waiting_on_reviewer: rows }) =>
      rows.map((row) => {
        const { path, lines } = parsePlace(row.at ?? row.target?.path ?? "");
        return { root, id: row.id, path, line: lines?.start ?? 0 };
      }),
    )
    .sort(compare);
}

/**
 * Returns the next thread after a position, the first one after the last one.
 *
 * `last` is the id of the thread that was visited last: of several threads on one line, the one after it is next.
 */
export function nextStop(stops: Stop[], from: Position | undefined, last: string | undefined): Stop | undefined {
  if (from === undefined) {
    return stops[0];
  }
  const visited = stops.findIndex((stop) => stop.id === last && compare(stop, from) === 0);
  const next = visited >= 0 ? stops[visited + 1] : stops.find((stop) => compare(stop, from) > 0);
  return next ?? stops[0];
}

function compare(a: Position, b: Position): number {
  return compareTexts(a.root, b.root) || compareTexts(a.path, b.path) || a.line - b.line;
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
