// Edits of whole lines in a text; pure.

/** Replaces lines, counted from 0, and keeps the line ends of the text. */
export function replaceLines(text: string, lines: { start: number; end: number }, replacement: string[]): string {
  const all = splitLines(text);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const last = all.length - 1;
  const added = replacement.map((line) => line + eol);
  if (lines.end >= last && added.length > 0 && !/\n$/.test(all[last] ?? "")) {
    // The text had no line end at its end.
    added[added.length - 1] = replacement.at(-1) ?? "";
  }
  return [...all.slice(0, lines.start), ...added, ...all.slice(lines.end + 1)].join("");
}

/** Returns the lines of a text, counted from 0, without the last line end. */
export function extractLines(text: string, lines: { start: number; end: number }): string {
  return splitLines(text)
    .slice(lines.start, lines.end + 1)
    .join("")
    .replace(/\r?\n$/, "");
}

/** Splits after each line end. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
