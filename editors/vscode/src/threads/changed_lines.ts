// The lines of a file that may be commented on if only changes may; pure.
import type { DiffFile } from "../documents";
import type { Lines } from "./follow";

/**
 * Returns the runs of added and changed lines. If lines were only removed, the lines around them.
 *
 * `file` is undefined if the file has no changes.
 */
export function changedLines(file: DiffFile | undefined): Lines[] {
  const hunks = file?.hunks ?? [];
  const added = hunks.flatMap((hunk) => runs(hunk.lines.filter((line) => line.kind === "added")));
  return added.length > 0 ? added : hunks.flatMap((hunk) => runs(hunk.lines));
}

function runs(lines: { new_line: number | null }[]): Lines[] {
  const found: Lines[] = [];
  for (const { new_line: line } of lines) {
    const last = found.at(-1);
    if (line === null) {
      continue;
    }
    if (last !== undefined && last.end + 1 === line) {
      last.end = line;
    } else {
      found.push({ start: line, end: line });
    }
  }
  return found;
}
