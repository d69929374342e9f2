// Commands that lead to threads: the next one that waits on the user, and the list of those of a file.
import * as vscode from "vscode";
import { showError } from "../messages";
import type { Root, Roots } from "../roots";
import { describeLast } from "../views/reviews_nodes";
import type { ThreadCommands } from "./commands";
import type { ThreadController } from "./controller";
import { isResolved, locationOf } from "./fields";
import { nextStop, type Position, stopsOf } from "./next_waiting";

export class Navigation implements vscode.Disposable {
  private readonly status = vscode.window.createStatusBarItem("skein.rest", vscode.StatusBarAlignment.Left, 0);
  private readonly disposables: vscode.Disposable[];
  private lastVisited: string | undefined;

  constructor(
    private readonly roots: Roots,
    private readonly controller: ThreadController,
    private readonly threads: ThreadCommands,
  ) {
    this.status.name = "Skein: Threads That Are Not Shown";
    this.status.command = "skein.pickThread";
    this.disposables = [
      this.status,
      vscode.commands.registerCommand("skein.nextWaiting", () => this.showNextWaiting().catch(showError)),
      vscode.commands.registerCommand("skein.pickThread", () => this.pickThread().catch(showError)),
      vscode.window.onDidChangeActiveTextEditor(() => this.updateStatus()),
      controller.onDidChangeRest(() => this.updateStatus()),
    ];
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private async showNextWaiting(): Promise<void> {
    const overviews = await Promise.all(this.roots.all.map((root) => root.reviews.overview()));
    const next = nextStop(stopsOf(overviews), this.position(), this.lastVisited);
    if (next === undefined) {
      void vscode.window.showInformationMessage("Skein: No thread waits on you.");
      return;
    }
    await this.threads.reveal({ root: next.root, threadId: next.id });
    this.lastVisited = next.id;
  }

  private position(): Position | undefined {
    const editor = vscode.window.activeTextEditor;
    const file = editor && this.roots.find(editor.document.uri);
    return file && { root: file.root.path, path: file.path, line: editor.selection.active.line };
  }

  private async pickThread(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const file = editor && this.roots.find(editor.document.uri);
    if (file === undefined) {
      void vscode.window.showInformationMessage("Skein: Open a file of the folder first.");
      return;
    }
    const items = await listItems(file.root, file.path);
    if (items.length === 0) {
      void vscode.window.showInformationMessage("Skein: This file has no open threads.");
      return;
    }
    const picked = await vscode.window.showQuickPick(items, {
      placeHolder: `Open threads of ${file.path}`,
      matchOnDescription: true,
    });
    if (picked !== undefined) {
      await this.threads.reveal({ root: file.root.path, threadId: picked.threadId });
    }
  }

  private updateStatus(): void {
    const editor = vscode.window.activeTextEditor;
    const count = editor === undefined ? 0 : this.controller.countRest(editor.document.uri);
    if (count === 0) {
      this.status.hide();
      return;
    }
    this.status.text = `$(comment-unresolved) ${count} more in this file`;
    this.status.tooltip = "Threads near the visible lines are shown. Click to list all open threads of this file.";
    this.status.show();
  }
}

async function listItems(root: Root, path: string): Promise<(vscode.QuickPickItem & { threadId: string })[]> {
  const now = new Date();
  const here = (await root.reviews.listFile(path)).filter((view) => !isResolved(view) && locationOf(view)?.path === path);
  const lineOf = (view: (typeof here)[number]) => locationOf(view)?.lines?.start ?? -1;
  return here
    .sort((a, b) => lineOf(a) - lineOf(b))
    .map((view) => ({
      label: lineOf(view) < 0 ? "File" : `Line ${lineOf(view) + 1}`,
      description: describeLast(view, now),
      threadId: view.id,
    }));
}
