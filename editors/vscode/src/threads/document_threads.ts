// Threads on documents that are not files, such as the text of a deleted one.
import type * as vscode from "vscode";
import type { ReviewView } from "../documents";
import type { Root } from "../roots";
import { threadFields } from "./fields";
import type { ThreadWidget } from "./widget";

export class DocumentThreads {
  private readonly shown = new Map<string, { root: Root; widget: ThreadWidget; view: ReviewView }>();

  /** Shows a thread on a document, or updates it. */
  show(root: Root, uri: vscode.Uri, view: ReviewView, create: () => ThreadWidget): ThreadWidget {
    const known = this.shown.get(uri.toString());
    if (known !== undefined) {
      known.view = view;
      known.widget.update(threadFields(view));
      return known.widget;
    }
    const widget = create();
    this.shown.set(uri.toString(), { root, widget, view });
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
    const widgets = [...this.shown.values()].filter((each) => each.root === root && each.widget.id === id);
    const view = widgets.length === 0 ? undefined : await root.reviews.show(id).catch(() => undefined);
    if (view !== undefined) {
      for (const each of widgets) {
        each.view = view;
        each.widget.update(threadFields(view));
      }
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
