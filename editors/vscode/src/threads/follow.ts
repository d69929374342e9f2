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

/** Returns where lines of a text are in a later version of it; undefined if they were changed, or may be in several places. */
export function findLines(before: string[], after: string[], { start, end }: Lines): Lines | undefined {
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before[same] === after[same]) {
    same += 1;
  }
  if (end < same) {
    return { start, end };
  }
  const shift = after.length - before.length;
  let sameAtEnd = 0;
  while (sameAtEnd < most - same && before.at(-1 - sameAtEnd) === after.at(-1 - sameAtEnd)) {
    sameAtEnd += 1;
  }
  if (start >= before.length - sameAtEnd) {
    return { start: start + shift, end: end + shift };
  }
  // The text was changed above and below.
  const wanted = before.slice(start, end + 1);
  const found = after.flatMap((_, first) => (wanted.every((line, index) => after[first + index] === line) ? [first] : []));
  const [first] = found;
  return found.length === 1 && first !== undefined ? { start: first, end: first + end - start } : undefined;
}
