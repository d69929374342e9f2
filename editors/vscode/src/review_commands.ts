// Commands on a whole review, or on one file of it: submit, accept all proposals, copy prompts, show resolved threads.
import * as vscode from "vscode";
import type { Deleted, ReviewRow } from "./documents";
import { showError } from "./messages";
import type { Root, Roots } from "./roots";
import type { ThreadController } from "./threads/controller";
import { promptFor } from "./threads/prompt";
import { findTarget } from "./threads/target";

/** Threads that a question names. */
const MAX_NAMED = 10;

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
      ["skein.restoreThreads", (argument) => this.restore(argument)],
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
    if ((await root.reviews.overview()).drafts.length === 0 && !(await confirmEmptySubmit())) {
      return;
    }
    const count = (await root.reviews.submit()).length;
    const what = count === 0 ? "There were no drafts." : `Submitted ${count === 1 ? "1 comment" : `${count} comments`}.`;
    void vscode.window.showInformationMessage(`${what} Agents that wait for the review continue.`);
    await this.controller.refreshAll();
  }

  private async acceptAll(argument?: unknown): Promise<void> {
    const root = await chooseRoot(this.roots, argument);
    if (root === undefined) {
      return;
    }
    const proposed = (await root.reviews.overview()).waiting_on_reviewer.filter((row) => row.proposed_resolved === true);
    if (proposed.length === 0) {
      void vscode.window.showInformationMessage("Skein: No agent proposes to resolve a thread.");
      return;
    }
    const yes = `Resolve ${countThreads(proposed.length)}`;
    const question = `${countThreads(proposed.length)} would be resolved, as agents propose:`;
    const options = { modal: true, detail: nameThreads(proposed) };
    if ((await vscode.window.showWarningMessage(question, options, yes)) !== yes) {
      return;
    }
    // Only those that the question named.
    const written = await root.reviews.resolveAll(proposed.map((row) => row.id));
    void vscode.window.showInformationMessage(`Resolved ${countThreads(written.length)}.`);
    await this.controller.refreshAll();
  }

  private async restore(argument?: unknown): Promise<void> {
    const root = await chooseRoot(this.roots, argument);
    if (root === undefined) {
      return;
    }
    const deleted = restorable(await root.reviews.deleted());
    if (deleted.length === 0) {
      void vscode.window.showInformationMessage("Skein: No deleted threads can be restored.");
      return;
    }
    const picked = await vscode.window.showQuickPick(deleted.map(deletedItem), {
      canPickMany: true,
      placeHolder: "Deleted threads to restore",
      matchOnDescription: true,
    });
    if (picked === undefined || picked.length === 0) {
      return;
    }
    await root.reviews.restoreAll(picked.map(({ id }) => id));
    void vscode.window.showInformationMessage(`Restored ${countThreads(picked.length)}.`);
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

/** Agents that wait for the review continue with a submit, also if there are no drafts. */
async function confirmEmptySubmit(): Promise<boolean> {
  const yes = "Tell the Agents";
  const question = "There are no drafts to submit. Tell agents that wait for the review that it is complete?";
  return (await vscode.window.showInformationMessage(question, yes)) === yes;
}

function countThreads(count: number): string {
  return count === 1 ? "1 thread" : `${count} threads`;
}

function nameThreads(rows: ReviewRow[]): string {
  const named = rows.slice(0, MAX_NAMED).map((row) => `${row.at ?? row.id}: ${row.title}`);
  const more = rows.length - named.length;
  return [...named, ...(more === 0 ? [] : [`and ${more} more`])].join("\n");
}

/** The newest copy of each thread, which is the one that is restored by its id. */
function restorable(deleted: Deleted[]): Deleted[] {
  const ids = new Set<string>();
  return deleted.filter(({ id }) => !ids.has(id) && ids.add(id));
}

function deletedItem({ id, at, title, deleted, draft }: Deleted): vscode.QuickPickItem & { id: string } {
  const time = deleted.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/, "deleted $1-$2-$3 $4:$5 UTC");
  return { id, label: at ?? id, description: title, detail: [draft ? "draft" : "", time].filter(Boolean).join(", ") };
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
