// The text of the status bar; pure.
import type { Overview } from "../documents";

/** Returns undefined if there is nothing to show. */
export function statusText(overviews: Overview[]): { text: string; tooltip: string } | undefined {
  const count = (list: (overview: Overview) => unknown[]) =>
    overviews.reduce((sum, overview) => sum + list(overview).length, 0);
  const you = count((overview) => overview.waiting_on_reviewer);
  const agent = count((overview) => overview.waiting_on_agent);
  const drafts = count((overview) => overview.drafts);
  const damaged = count((overview) => overview.unusable ?? []);
  if (you + agent + drafts + damaged === 0) {
    return undefined;
  }
  const waiting = you === 1 ? "1 waits on you" : `${you} wait on you`;
  const others = [
    `${agent} ${agent === 1 ? "waits" : "wait"} on an agent`,
    ...(drafts === 0 ? [] : [drafts === 1 ? "1 draft" : `${drafts} drafts`]),
    ...(damaged === 0 ? [] : [damaged === 1 ? "1 file cannot be read" : `${damaged} files cannot be read`]),
  ];
  return {
    text: `$(comment-discussion) ${waiting}${damaged === 0 ? "" : " $(warning)"}`,
    tooltip: `Review threads: ${[waiting, ...others].join(", ")}`,
  };
}
