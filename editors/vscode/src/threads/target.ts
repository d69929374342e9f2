// Finds the thread that the argument of a command means.
import * as vscode from "vscode";
import type { ReviewView } from "../documents";
import type { Root, Roots } from "../roots";
import type { ThreadController } from "./controller";
import { CommentObject, type ThreadWidget } from "./widget";

export interface Target {
  root: Root;
  id: string;
  widget?: ThreadWidget;
}

/**
 * Returns the thread of a command's argument: a thread or comment of the editor, a reply, an item of a view, or as the
 * original extension has it, an id, `{threadId}` or `{thread}`. Without an argument it is the thread at the cursor that
 * the command applies to. Says so if there is none.
 */
export async function findTarget(
  argument: unknown,
  roots: Roots,
  controller: ThreadController,
  applies: (view: ReviewView) => boolean = () => true,
): Promise<Target | undefined> {
  const atCursor = argument === undefined ? controller.atCursor(applies) : undefined;
  const target = atCursor ? ofWidget(atCursor.widget, roots) : await find(argument, roots, controller);
  if (target === undefined) {
    const message = argument === undefined ? "There is no such thread at the cursor." : "There is no such thread.";
    void vscode.window.showInformationMessage(`Skein: ${message} The view Reviews lists the open threads.`);
  }
  return target;
}

async function find(argument: unknown, roots: Roots, controller: ThreadController): Promise<Target | undefined> {
  if (argument instanceof CommentObject) {
    return ofWidget(argument.widget, roots);
  }
  if (typeof argument === "string") {
    return findById(argument, roots, controller);
  }
  if (typeof argument !== "object" || argument === null) {
    return undefined;
  }
  const fields = argument as { root?: unknown; threadId?: unknown; thread?: unknown };
  if (typeof fields.threadId === "string") {
    const root = typeof fields.root === "string" ? roots.get(fields.root) : undefined;
    return root ? { root, id: fields.threadId } : findById(fields.threadId, roots, controller);
  }
  const widget = controller.widgetOf((fields.thread ?? argument) as vscode.CommentThread);
  return widget && ofWidget(widget, roots);
}

function ofWidget(widget: ThreadWidget, roots: Roots): Target | undefined {
  const root = roots.get(widget.rootPath);
  return root && { root, id: widget.id, widget };
}

/** Finds the root that has a thread with this id; the first one, if several have. */
async function findById(id: string, roots: Roots, controller: ThreadController): Promise<Target | undefined> {
  for (const root of roots.all) {
    if (controller.viewOf(root.path, id) !== undefined) {
      return { root, id };
    }
  }
  for (const root of roots.all) {
    const found = await root.reviews.show(id).catch(() => undefined);
    if (found?.id === id) {
      return { root, id };
    }
  }
  return undefined;
}
