// The commands of the extension Local Code Review, so that keybindings and other extensions that use them go on working.
import * as vscode from "vscode";
import { showError } from "../messages";
import type { Root, Roots } from "../roots";
import type { ThreadCommands } from "../threads/commands";
import type { ThreadController } from "../threads/controller";
import type { NewComments } from "../threads/new_comment";

interface Text {
  threadId?: unknown;
  thread?: vscode.CommentThread;
  text?: unknown;
}

export class OriginalCommands {
  constructor(
    private readonly roots: Roots,
    private readonly controller: ThreadController,
    private readonly threads: ThreadCommands,
    private readonly boxes: NewComments,
  ) {}

  /** The commands of this extension that the original has too. */
  register(): vscode.Disposable[] {
    return [vscode.commands.registerCommand("skein.clearThreads", (options?: unknown) => this.clear(options))];
  }

  /** The ids of the original. Registering an id twice fails, so this must not be called while the original is active. */
  registerAliases(): vscode.Disposable[] {
    const aliases: [string, (first?: unknown, second?: unknown) => unknown][] = [
      ["addComment", (uri, line) => this.threads.addComment(uri, line)],
      ["clearAllComments", (options) => this.clear(options)],
      ["refresh", () => vscode.commands.executeCommand("skein.refresh")],
      ["submitComment", (argument) => this.submit(argument)],
      ["cancelComment", (argument) => this.cancel(argument)],
      ["resolveThread", (thread) => this.threads.resolve(thread)],
      ["reopenThread", (thread) => this.threads.reopen(thread)],
      ["deleteThread", (thread) => this.delete(thread)],
      ["revealThread", (thread) => this.threads.reveal(thread)],
      ["applySuggestion", (thread) => vscode.commands.executeCommand("skein.applySuggestion", thread)],
    ];
    return aliases.map(([name, run]) => vscode.commands.registerCommand(`localCodeReview.${name}`, run));
  }

  /** Stores a text: the first comment of a box, or a reply. Empty texts are ignored, as in the original. */
  private async submit(argument: unknown): Promise<void> {
    const { text } = (argument ?? {}) as Text;
    if (typeof text !== "string" || text.trim() === "") {
      return;
    }
    const box = this.boxOf(argument);
    if (box !== undefined) {
      await this.threads.create(box, text, false);
    } else {
      await this.threads.replyTo(argument, text, false);
    }
  }

  private cancel(argument: unknown): void {
    this.threads.discard(this.boxOf(argument));
  }

  private async delete(argument: unknown): Promise<void> {
    const box = this.boxOf(argument);
    if (box !== undefined) {
      this.threads.discard(box);
      return;
    }
    await this.threads.delete(argument);
  }

  /** Deletes all threads of all open folders, after a question unless `force` is set. */
  private async clear(options?: unknown): Promise<void> {
    const force = (options as { force?: unknown } | undefined)?.force === true;
    const yes = "Delete All";
    const question = "Delete all review threads of the open folders? This can be undone.";
    if (!force && (await vscode.window.showWarningMessage(question, { modal: true }, yes)) !== yes) {
      return;
    }
    const cleared: { root: Root; ids: string[] }[] = [];
    await forEach(this.roots.all, async (root) => {
      const ids = (await root.reviews.clear()).map(({ id }) => id);
      if (ids.length > 0) {
        cleared.push({ root, ids });
      }
    });
    await this.controller.refreshAll();
    void this.offerUndo(cleared);
  }

  private async offerUndo(cleared: { root: Root; ids: string[] }[]): Promise<void> {
    const undo = "Undo";
    if (cleared.length === 0 || (await vscode.window.showInformationMessage("Deleted all threads.", undo)) !== undo) {
      return;
    }
    await forEach(cleared, ({ root, ids }) => root.reviews.restoreAll(ids));
    await this.controller.refreshAll();
  }

  /** Returns the box of a new comment: by its name, or the thread object of a box without comments. */
  private boxOf(argument: unknown): vscode.CommentThread | undefined {
    if (typeof argument === "string") {
      return this.boxes.box(argument);
    }
    const { threadId, thread } = (argument ?? {}) as Text;
    if (typeof threadId === "string") {
      return this.boxes.box(threadId);
    }
    const candidate = thread ?? (argument as vscode.CommentThread | undefined);
    return candidate?.comments?.length === 0 ? candidate : undefined;
  }
}

/** Runs an action for all items, also if it fails for some, and shows the errors. */
async function forEach<T>(items: T[], action: (item: T) => Promise<unknown>): Promise<void> {
  await Promise.all(items.map((item) => action(item).catch(showError)));
}
