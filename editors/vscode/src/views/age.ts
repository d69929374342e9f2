// How long ago something was, in few characters; pure.

const UNITS: [name: string, milliseconds: number][] = [
  ["y", 365 * 86_400_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
];

/** Returns, for example, `5 min`; undefined if the time is not known. */
export function age(time: string | null, now: Date): string | undefined {
  const passed = now.getTime() - Date.parse(time ?? "");
  if (Number.isNaN(passed)) {
    return undefined;
  }
  const unit = UNITS.find(([, milliseconds]) => passed >= milliseconds);
  return unit === undefined ? "now" : `${Math.floor(passed / unit[1])} ${unit[0]}`;
}
