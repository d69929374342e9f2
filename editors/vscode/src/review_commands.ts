// Commands on a whole review, or on one file of it: submit, accept all proposals, copy prompts, show resolved threads.
import * as vscode from "vscode";
import { showError } from "./messages";
import type { Root, Roots } from "./roots";
import type { ThreadController } from "./threads/controller";
import { promptFor } from "./threads/prompt";
import { findTarget } from "./threads/target";

export class ReviewCommands {
  constructor(
    private readonly roots: Roots,
    private readonly controller: ThreadController,
    private readonly refreshViews: () => void,
  ) {}

  register(): vscode.Disposable[] {
    const commands: [string, (argument?: unknown) => Promise<void>][] = [
      ["skein.submitReview", (argument) => this.submit(argument)],
      ["skein.acceptAllProposals", (argument) => this.acceptAll(argument)],
      ["skein.copyPrompt", (thread) => this.copyPrompt(thread)],
      ["skein.copyAllPrompts", (argument) => this.copyAll(argument)],
      ["skein.showResolved", () => this.showResolved(true)],
      ["skein.hideResolved", () => this.showResolved(false)],
      ["skein.refresh", () => this.refresh()],
    ];
    return commands.map(([id, run]) =>
      vscode.commands.registerCommand(id, async (argument?: unknown) => {
        try {
          await run(argument);
        } catch (error) {
          showError(error);
        }
      }),
    );
  }

  private async refresh(): Promise<void> {
    this.refreshViews();
    await this.controller.refreshAll();
  }

  private async submit(argument?: unknown): Promise<void> {
    const root = await chooseRoot(this.roots, argument);
    if (root === undefined) {
      return;
    }
    const written = await root.reviews.submit();
    const count = written.length;
    const what = count === 0 ? "There were no drafts." : `Submitted ${count === 1 ? "1 comment" : `${count} comments`}.`;
    void vscode.window.showInformationMessage(`${what} Agents that wait for the review continue.`);
    await this.controller.refreshAll();
  }

  private async acceptAll(argument?: unknown): Promise<void> {
    const root = await chooseRoot(this.roots, argument);
    if (root === undefined) {
      return;
    }
    const written = await root.reviews.resolveProposed();
    void vscode.window.showInformationMessage(
      written.length === 1 ? "Resolved 1 thread." : `Resolved ${written.length} threads.`,
    );
    await this.controller.refreshAll();
  }

  private async copyPrompt(argument: unknown): Promise<void> {
    const target = await findTarget(argument, this.roots, this.controller);
    if (target === undefined) {
      return;
    }
    const { root, id } = target;
    const [view, shown] = await Promise.all([root.reviews.show(id), root.reviews.showText(id)]);
    await vscode.env.clipboard.writeText(promptFor(id, view.at ?? view.file, shown));
    vscode.window.setStatusBarMessage("Copied a prompt for an agent", 3000);
  }

  private async copyAll(argument?: unknown): Promise<void> {
    const root = await chooseRoot(this.roots, argument);
    if (root !== undefined) {
      await vscode.env.clipboard.writeText(await root.reviews.exportText());
      vscode.window.setStatusBarMessage("Copied all threads that wait on an agent", 3000);
    }
  }

  private async showResolved(show: boolean): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const found = uri && this.roots.find(uri);
    if (found !== undefined) {
      await this.controller.showResolved(found.root, found.path, show);
    }
  }
}

/** Returns the root that an item of a view names, the one of the active editor, the only one, or the one that the user picks. */
export async function chooseRoot(roots: Roots, argument?: unknown): Promise<Root | undefined> {
  const named = (argument as { root?: unknown } | undefined)?.root;
  if (typeof named === "string") {
    return roots.get(named);
  }
  const active = vscode.window.activeTextEditor?.document.uri;
  const found = active && roots.find(active)?.root;
  if (found !== undefined || roots.all.length < 2) {
    return found ?? roots.all[0];
  }
  const items = roots.all.map((root) => ({ label: root.name, description: root.editorPath, root }));
  return (await vscode.window.showQuickPick(items, { placeHolder: "Folder" }))?.root;
}
