// Which threads of a file are shown; pure. Many threads in one file block the window of VS Code.
import type { ReviewView } from "../documents";
import { isDraft, isResolved, locationOf, waitsOnReviewer } from "./fields";
import type { Lines } from "./follow";

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
  /** The lines of the file that the user sees; undefined if that is not known. */
  visible?: Lines | undefined;
}

/**
 * Chooses the threads of one file: drafts, those on visible lines, then those that wait on the reviewer, then the others;
 * of these the nearest to the visible lines.
 */
export function choose(views: ReviewView[], options: ChoiceOptions): Choice {
  const wanted = views.filter(
    (view) =>
      !isResolved(view) || options.showResolved || options.current.has(view.id) || options.pinned.has(view.id),
  );
  const ranked = wanted
    .map((view, index) => ({ view, index, order: orderOf(view, options) }))
    .sort((a, b) => compare(a.order, b.order) || a.index - b.index);
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

/** The numbers by which threads are sorted. */
type Order = [rank: number, distance: number, isNew: number];

function orderOf(view: ReviewView, options: ChoiceOptions): Order {
  const distance = distanceOf(view, options.visible);
  return [rankOf(view, distance, options), distance, options.current.has(view.id) ? 0 : 1];
}

function compare(a: Order, b: Order): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function rankOf(view: ReviewView, distance: number, options: ChoiceOptions): number {
  if (options.pinned.has(view.id) || isDraft(view)) {
    return 0;
  }
  if (options.visible !== undefined && distance === 0) {
    return 1;
  }
  if (isResolved(view)) {
    return options.current.has(view.id) ? 4 : 5;
  }
  return waitsOnReviewer(view) ? 2 : 3;
}

/** The number of lines between a thread and the visible lines. */
function distanceOf(view: ReviewView, visible: Lines | undefined): number {
  if (visible === undefined) {
    return 0;
  }
  const { start, end } = locationOf(view)?.lines ?? { start: 0, end: 0 };
  return Math.max(0, start - visible.end, visible.start - end);
}
