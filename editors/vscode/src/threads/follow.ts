// Follows lines of a document while it is edited; pure.

export interface Lines {
  start: number;
  end: number;
}

/** A change of a document: lines `start` to `end` were replaced by a text with this many line ends. */
export interface LineChange {
  start: number;
  end: number;
  addedLineEnds: number;
}

/** Whether lines are added or removed within the lines, so that the editor decides where they begin and end. */
export function reachInto(changes: LineChange[], { start, end }: Lines): boolean {
  return changes.some((change) => {
    const isLongerOrShorter = change.addedLineEnds !== change.end - change.start;
    const isAbove = change.end < start || (change.end === start && change.start < start);
    return isLongerOrShorter && !isAbove && change.start <= end;
  });
}

/** Returns where the lines are after the changes. Changes within them make them longer or shorter. */
export function followLines(lines: Lines, changes: LineChange[]): Lines {
  let { start, end } = lines;
  // Changes of one event do not overlap, and their lines are those before all of them: the last one first.
  for (const change of [...changes].sort((a, b) => b.start - a.start)) {
    const delta = change.addedLineEnds - (change.end - change.start);
    if (change.end < start || (change.end === start && change.start < start)) {
      start += delta;
      end += delta;
    } else if (change.start <= end) {
      end = Math.max(start, end + delta);
    }
  }
  return { start, end };
}
