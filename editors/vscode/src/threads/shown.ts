// Keeps the threads that one file shows equal to what `skein` lists, in place: a half-written reply is lost if its
// thread is disposed. Knows the editor only through `Widget`.
import type { ReviewView } from "../documents";
import { choose, type Choice } from "./choose";
import { type Location, locationOf, type ThreadFields, threadFields } from "./fields";
import { followLines, type LineChange, type Lines, reachInto } from "./follow";

/** A thread in the editor. Sets only fields that differ. */
export interface Widget {
  /** Whether the user has unfolded the thread, and may be writing in it. */
  readonly expanded: boolean;
  update(fields: ThreadFields): void;
  /** Moves the thread in its file. If the editor shows it elsewhere, it takes the focus from the field of a reply. */
  move(lines: Location["lines"]): void;
  dispose(): void;
}

export interface WidgetFactory {
  create(id: string, location: Location, fields: ThreadFields): Widget;
}

export interface ApplyOptions {
  /** Whether the document has the code of a thread where the list says. Otherwise the thread stays where it is. */
  isCurrent: (view: ReviewView) => boolean;
  /** The lines that the user sees, near which threads are shown if there are too many. */
  visible?: Lines | undefined;
  /** Whether the file of a thread can no longer be read, so that it is not listed. */
  isDamaged?: (id: string) => boolean;
}

interface Entry {
  widget: Widget;
  view: ReviewView;
  /** Where the editor shows the thread, which moves it with edits; undefined if that is not certain. */
  lines: Location["lines"] | undefined;
  /** About where it shows the thread. */
  lastLines: Location["lines"];
}

export class ShownThreads {
  private readonly entries = new Map<string, Entry>();
  /** Threads that no longer belong here, but may contain a half-written reply. */
  private readonly retired = new Map<string, Entry>();
  private readonly pinned = new Set<string>();
  showResolved = false;

  constructor(
    readonly path: string,
    private readonly factory: WidgetFactory,
  ) {}

  has(id: string): boolean {
    return this.entries.has(id) || this.retired.has(id);
  }

  view(id: string): ReviewView | undefined {
    return (this.entries.get(id) ?? this.retired.get(id))?.view;
  }

  widget(id: string): Widget | undefined {
    return (this.entries.get(id) ?? this.retired.get(id))?.widget;
  }

  /**
   * Returns the thread on a line that a command applies to: of several, one that is unfolded, otherwise the one with the
   * fewest lines. Threads on the whole file are on the first line.
   */
  at(line: number, applies: (view: ReviewView) => boolean): { widget: Widget; lines: Location["lines"] } | undefined {
    const isHere = (lines: Location["lines"]) => (lines === null ? line === 0 : lines.start <= line && line <= lines.end);
    const size = (lines: Location["lines"]) => (lines === null ? Infinity : lines.end - lines.start);
    const here = [...this.entries.values()]
      .filter((entry) => isHere(entry.lastLines) && applies(entry.view))
      .sort((a, b) => size(a.lastLines) - size(b.lastLines));
    const found = here.find(({ widget }) => widget.expanded) ?? here[0];
    return found && { widget: found.widget, lines: found.lastLines };
  }

  find(matches: (widget: Widget) => boolean): Widget | undefined {
    for (const entries of [this.entries, this.retired]) {
      for (const { widget } of entries.values()) {
        if (matches(widget)) {
          return widget;
        }
      }
    }
    return undefined;
  }

  /** The thread is shown from the next update on, and not replaced by another one. */
  pin(id: string): void {
    this.pinned.add(id);
  }

  /** Uses a widget that exists already: the box in which the user wrote the first comment. */
  adopt(view: ReviewView, widget: Widget): void {
    const lines = locationOf(view)?.lines ?? null;
    this.entries.set(view.id, { widget, view, lines, lastLines: lines });
    this.pinned.add(view.id);
    widget.update(threadFields(view));
  }

  /** Removes a thread that the user deleted here. */
  remove(id: string): void {
    for (const entries of [this.entries, this.retired]) {
      entries.get(id)?.widget.dispose();
      entries.delete(id);
    }
    this.pinned.delete(id);
  }

  /** Updates the threads to the list of this file. Returns which of them are shown. */
  apply(views: ReviewView[], options: ApplyOptions): Choice {
    const here = views.filter((view) => locationOf(view)?.path === this.path);
    const expanded = [...this.entries].filter(([, entry]) => entry.widget.expanded).map(([id]) => id);
    const choice = choose(here, {
      current: new Set(this.entries.keys()),
      pinned: new Set([...this.pinned, ...expanded]),
      showResolved: this.showResolved,
      visible: options.visible,
    });
    const shown = new Map(choice.shown.map((view) => [view.id, view]));
    const elsewhere = new Map(views.map((view) => [view.id, view]));
    for (const [id, entry] of [...this.entries]) {
      if (!shown.has(id)) {
        this.retire(id, entry);
      }
    }
    for (const view of choice.shown) {
      this.show(view, options);
    }
    for (const [id, entry] of this.retired) {
      const view = elsewhere.get(id);
      entry.view = view ?? entry.view;
      const isDamaged = view === undefined && options.isDamaged?.(id) === true;
      entry.widget.update(isDamaged ? damagedFields(entry.view) : retiredFields(entry.view, view?.at ?? undefined));
    }
    this.disposeFolded();
    return choice;
  }

  /** Follows the threads as the editor does while the document changes. */
  follow(changes: LineChange[]): void {
    for (const entry of this.entries.values()) {
      if (entry.lines && reachInto(changes, entry.lines)) {
        entry.lines = undefined;
      } else if (entry.lines) {
        entry.lines = followLines(entry.lines, changes);
      }
      if (entry.lastLines) {
        entry.lastLines = followLines(entry.lastLines, changes);
      }
    }
  }

  /** Sets the lines of all threads with the next update. */
  forgetLines(): void {
    for (const entry of this.entries.values()) {
      entry.lines = undefined;
    }
  }

  /** Removes the threads that no longer belong here and that the user has folded. Unfolded ones may contain a reply. */
  disposeFolded(): void {
    for (const [id, entry] of [...this.retired]) {
      if (!entry.widget.expanded) {
        entry.widget.dispose();
        this.retired.delete(id);
      }
    }
  }

  dispose(): void {
    for (const entries of [this.entries, this.retired]) {
      for (const { widget } of entries.values()) {
        widget.dispose();
      }
      entries.clear();
    }
  }

  private show(view: ReviewView, options: ApplyOptions): void {
    const location = locationOf(view);
    if (location === undefined) {
      return;
    }
    const entry = this.entries.get(view.id) ?? this.revive(view.id);
    if (entry === undefined) {
      const widget = this.factory.create(view.id, location, threadFields(view));
      this.entries.set(view.id, { widget, view, lines: location.lines, lastLines: location.lines });
      return;
    }
    entry.view = view;
    entry.widget.update(threadFields(view));
    if (!sameLines(entry.lines, location.lines) && options.isCurrent(view)) {
      entry.lines = location.lines;
      entry.lastLines = location.lines;
      entry.widget.move(location.lines);
    }
  }

  private revive(id: string): Entry | undefined {
    const entry = this.retired.get(id);
    if (entry !== undefined) {
      this.retired.delete(id);
      this.entries.set(id, entry);
    }
    return entry;
  }

  private retire(id: string, entry: Entry): void {
    this.entries.delete(id);
    if (entry.widget.expanded) {
      this.retired.set(id, entry);
    } else {
      entry.widget.dispose();
    }
  }
}

/** The fields of a thread whose code is now in another file, or that was deleted elsewhere. */
function retiredFields(view: ReviewView, place: string | undefined): ThreadFields {
  const fields = threadFields(view);
  return {
    ...fields,
    label: place === undefined ? "Deleted elsewhere" : `Code is now at ${place}`,
    contextValue: place === undefined ? "skein deleted" : `${fields.contextValue} elsewhere`,
  };
}

/** The fields of a thread whose file another program has damaged: nothing can be written to it. */
function damagedFields(view: ReviewView): ThreadFields {
  return { ...threadFields(view), label: "The thread file is damaged, see the view Reviews", contextValue: "skein damaged" };
}

function sameLines(a: Location["lines"] | undefined, b: Location["lines"]): boolean {
  return a === b || (!!a && b !== null && a.start === b.start && a.end === b.end);
}
