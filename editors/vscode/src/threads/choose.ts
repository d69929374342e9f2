// Which threads of a file are shown; pure. Many threads in one file block the window of VS Code.
import type { ReviewView } from "../documents";
import { isDraft, isResolved, waitsOnReviewer } from "./fields";

export const MAX_SHOWN = 40;
/** Lines of the list of threads that are not shown. */
const MAX_LISTED = 100;

export interface Choice {
  shown: ReviewView[];
  /** Open threads that are not shown. */
  rest: ReviewView[];
  /** The number of resolved threads that are not shown. */
  hiddenResolved: number;
}

export interface ChoiceOptions {
  /** Ids that are shown already: they stay while there is room, so that nothing disappears without a reason. */
  current: ReadonlySet<string>;
  /** Ids that must stay: the user may be writing in them. */
  pinned: ReadonlySet<string>;
  showResolved: boolean;
}

/** Chooses the threads of one file. Drafts are always shown, then those that wait on the reviewer. */
export function choose(views: ReviewView[], options: ChoiceOptions): Choice {
  const wanted = views.filter(
    (view) =>
      !isResolved(view) || options.showResolved || options.current.has(view.id) || options.pinned.has(view.id),
  );
  const ranked = wanted
    .map((view, index) => ({ view, index, rank: rankOf(view, options) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index);
  const shown: ReviewView[] = [];
  const rest: ReviewView[] = [];
  for (const { view } of ranked) {
    const always = isDraft(view) || options.pinned.has(view.id);
    (always || shown.length < MAX_SHOWN ? shown : rest).push(view);
  }
  return {
    shown,
    rest: rest.filter((view) => !isResolved(view)),
    hiddenResolved: views.filter(isResolved).length - shown.filter(isResolved).length,
  };
}

/** The lines that list the threads that are not shown, and how many of those do not fit. */
export function listRest(rest: ReviewView[]): { lines: ReviewView[]; more: number } {
  return { lines: rest.slice(0, MAX_LISTED), more: Math.max(0, rest.length - MAX_LISTED) };
}

function rankOf(view: ReviewView, options: ChoiceOptions): number {
  if (options.pinned.has(view.id) || isDraft(view)) {
    return 0;
  }
  if (isResolved(view)) {
    return options.current.has(view.id) ? 3 : 5;
  }
  if (waitsOnReviewer(view)) {
    return 1;
  }
  return options.current.has(view.id) ? 2 : 4;
}
