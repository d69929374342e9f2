// Documents with the text that was commented on, for code that was edited or is gone. Threads of deleted files are shown
// on them.
import * as vscode from "vscode";
import type { ReviewView } from "./documents";
import { showError } from "./messages";
import type { Root, Roots } from "./roots";
import type { ThreadController } from "./threads/controller";
import { hasOldText } from "./threads/fields";
import { extractLines } from "./threads/lines";
import { findTarget } from "./threads/target";
import { formatQuery, OLD_SCHEME, parseQuery } from "./virtual_uri";

export class OldText implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly roots: Roots,
    private readonly controller: ThreadController,
  ) {
    this.disposables = [
      vscode.workspace.registerTextDocumentContentProvider(OLD_SCHEME, this),
      vscode.commands.registerCommand("skein.showOldText", (thread: unknown) => this.show(thread)),
    ];
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const address = parseQuery(uri.query);
    const root = address && this.roots.get(address.root);
    if (address === undefined || root === undefined) {
      return "";
    }
    const view = await root.reviews.show(address.id);
    return address.side === "old" ? oldText(view) : currentText(root, view);
  }

  /** Opens the commented text of a thread that has no place in a file, with the thread on it. */
  async openDeleted(root: Root, view: ReviewView): Promise<void> {
    const uri = addressOf(root, view, "old");
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
    const end = Math.max(0, document.lineCount - 1);
    this.controller.showOn(root, uri, { path: view.target?.path ?? "", lines: { start: 0, end } }, view).expand();
  }

  private async show(argument: unknown): Promise<void> {
    const target = await findTarget(argument, this.roots, this.controller, hasOldText);
    if (target === undefined) {
      return;
    }
    try {
      const view = await target.root.reviews.show(target.id);
      const old = addressOf(target.root, view, "old");
      if (view.placement?.start_line == null) {
        await vscode.window.showTextDocument(old, { preview: true });
        return;
      }
      const now = addressOf(target.root, view, "now");
      await vscode.commands.executeCommand("vscode.diff", old, now, `${view.at ?? view.id}: when commented ↔ now`);
    } catch (error) {
      showError(error);
    }
  }
}

function addressOf(root: Root, view: ReviewView, side: "old" | "now"): vscode.Uri {
  const path = view.placement?.path ?? view.target?.path ?? view.id;
  return vscode.Uri.from({
    scheme: OLD_SCHEME,
    path: `/${path}`,
    query: formatQuery({ root: root.path, id: view.id, side }),
  });
}

function oldText(view: ReviewView): string {
  return view.selection ?? view.patch ?? "The thread does not contain the commented text.";
}

async function currentText(root: Root, view: ReviewView): Promise<string> {
  const { path = "", start_line: start = null, end_line: end = null } = view.placement ?? {};
  if (start === null) {
    return "";
  }
  const bytes = await vscode.workspace.fs.readFile(root.uri(path));
  return extractLines(new TextDecoder().decode(bytes), { start, end: end ?? start });
}
