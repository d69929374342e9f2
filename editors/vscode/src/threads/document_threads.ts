// Threads on documents that are not files, such as the text of a deleted one.
import type * as vscode from "vscode";
import type { ReviewView } from "../documents";
import type { Root } from "../roots";
import { threadFields } from "./fields";
import type { ThreadWidget } from "./widget";

interface Shown {
  root: Root;
  widget: ThreadWidget;
  view: ReviewView;
  /** The number of reads that have begun. */
  reads: number;
  /** The number of the read that is shown: an older one that ends later is not shown. */
  shownRead: number;
}

export class DocumentThreads {
  private readonly shown = new Map<string, Shown>();

  /** Shows a thread on a document, or updates it. */
  show(root: Root, uri: vscode.Uri, view: ReviewView, create: () => ThreadWidget): ThreadWidget {
    const known = this.shown.get(uri.toString());
    if (known !== undefined) {
      known.view = view;
      known.reads += 1;
      known.shownRead = known.reads;
      known.widget.update(threadFields(view));
      return known.widget;
    }
    const widget = create();
    this.shown.set(uri.toString(), { root, widget, view, reads: 0, shownRead: 0 });
    return widget;
  }

  /** Returns the thread on a document, if a command applies to it. */
  on(uri: vscode.Uri, applies: (view: ReviewView) => boolean): ThreadWidget | undefined {
    const found = this.shown.get(uri.toString());
    return found !== undefined && applies(found.view) ? found.widget : undefined;
  }

  find(thread: vscode.CommentThread): ThreadWidget | undefined {
    return [...this.shown.values()].find(({ widget }) => widget.thread === thread)?.widget;
  }

  async refresh(root: Root, id: string): Promise<void> {
    const shown = [...this.shown.values()].filter((each) => each.root === root && each.widget.id === id);
    await Promise.all(shown.map((each) => this.read(each)));
  }

  private async read(shown: Shown): Promise<void> {
    shown.reads += 1;
    const number = shown.reads;
    const view = await shown.root.reviews.show(shown.widget.id).catch(() => undefined);
    const isShown = [...this.shown.values()].includes(shown);
    if (view !== undefined && isShown && shown.shownRead < number) {
      shown.shownRead = number;
      shown.view = view;
      shown.widget.update(threadFields(view));
    }
  }

  remove(root: Root, id: string): void {
    for (const [key, each] of [...this.shown]) {
      if (each.root === root && each.widget.id === id) {
        each.widget.dispose();
        this.shown.delete(key);
      }
    }
  }

  dispose(): void {
    for (const { widget } of this.shown.values()) {
      widget.dispose();
    }
    this.shown.clear();
  }
}
