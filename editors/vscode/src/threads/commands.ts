// The commands on threads: comment, reply, edit, resolve, reopen, delete, reveal.
import * as vscode from "vscode";
import type { ReviewView, Written } from "../documents";
import { messageOf, showError, showTextError } from "../messages";
import type { OldText } from "../old_text";
import { parsePlace } from "../paths";
import type { Root, Roots } from "../roots";
import type { ThreadController } from "./controller";
import { isResolved } from "./fields";
import { NewComment, type NewComments, selectedLines } from "./new_comment";
import { findTarget, type Target } from "./target";
import { CommentObject, type EditableComment } from "./widget";

/** The argument of the commands below the box of a thread. */
interface Reply {
  thread: vscode.CommentThread;
  text: string;
}

export class ThreadCommands {
  /** The replies that are being stored, by thread and text. */
  private readonly replies = new Map<string, Promise<void>>();

  constructor(
    private readonly roots: Roots,
    private readonly controller: ThreadController,
    private readonly boxes: NewComments,
    private readonly oldText: OldText,
  ) {}

  register(): vscode.Disposable[] {
    const commands: [string, (...args: never[]) => unknown][] = [
      ["skein.addComment", (uri?: unknown, line?: unknown) => this.addComment(uri, line)],
      ["skein.addFileComment", (uri?: unknown) => this.addFileComment(uri)],
      ["skein.createComment", (box: Reply | NewComment) => this.createFrom(box, false)],
      ["skein.createDraft", (box: Reply | NewComment) => this.createFrom(box, true)],
      ["skein.discardComment", (box: Reply | NewComment) => this.discard(box.thread)],
      ["skein.reply", (reply: Reply) => this.replyTo(reply, reply.text, false)],
      ["skein.replyAndResolve", (reply: Reply) => this.replyTo(reply, reply.text, true)],
      ["skein.editComment", (comment: unknown) => this.startEditing(comment)],
      ["skein.saveComment", (comment: unknown) => this.saveComment(comment)],
      ["skein.cancelEdit", (comment: unknown) => this.cancelEdit(comment)],
      ["skein.resolveThread", (thread: unknown) => this.resolve(thread)],
      ["skein.acceptProposal", (thread: unknown) => this.resolve(thread, (view) => view.proposed_resolved === true)],
      ["skein.reopenThread", (thread: unknown) => this.reopen(thread)],
      ["skein.deleteThread", (thread: unknown) => this.delete(thread)],
      ["skein.revealThread", (thread: unknown) => this.reveal(thread)],
    ];
    return commands.map(([id, run]) => vscode.commands.registerCommand(id, run));
  }

  /** Opens a box on the selected lines, otherwise on the given line, counted from 0. */
  async addComment(uri?: unknown, line?: unknown): Promise<string | undefined> {
    const menu = lineNumberMenu(uri);
    const editor = await editorFor(menu?.uri ?? uri);
    if (editor === undefined) {
      return undefined;
    }
    const { document, selection } = editor;
    const wanted = menu?.line ?? (typeof line === "number" ? line : undefined);
    if (selection.isEmpty && wanted !== undefined) {
      const at = Math.min(Math.max(0, Math.trunc(wanted)), document.lineCount - 1);
      return this.boxes.open(document.uri, { start: at, end: at });
    }
    return this.boxes.open(document.uri, selectedLines(selection));
  }

  async resolve(argument: unknown, applies: (view: ReviewView) => boolean = () => true): Promise<void> {
    const isOpen = (view: ReviewView) => !isResolved(view) && applies(view);
    await this.change("Resolved", await this.find(argument, isOpen), (target) => target.root.reviews.resolve(target.id));
  }

  async reopen(argument: unknown): Promise<void> {
    await this.change("Reopened", await this.find(argument, isResolved), (target) =>
      target.root.reviews.reopen(target.id),
    );
  }

  async delete(argument: unknown): Promise<void> {
    const target = await this.find(argument);
    if (target === undefined) {
      return;
    }
    const { root, id } = target;
    try {
      const written = await root.reviews.delete(id);
      this.controller.remove(root, id);
      void this.offerUndo(root, written);
    } catch (error) {
      showError(error);
    }
  }

  /** Opens the file at the current location of the thread, and unfolds the thread. */
  async reveal(argument: unknown): Promise<void> {
    if (argument === undefined && (await this.focusAtCursor())) {
      return;
    }
    const target = await this.find(argument);
    if (target === undefined) {
      return;
    }
    const { root, id } = target;
    try {
      const view = await root.reviews.show(id);
      const place = view.placement;
      if (place === null) {
        await vscode.window.showTextDocument(vscode.Uri.file(view.file));
        return;
      }
      if (!(await exists(root.uri(place.path)))) {
        await this.oldText.openDeleted(root, view);
        return;
      }
      const line = place.start_line ?? 0;
      const range = new vscode.Range(line, 0, line, 0);
      await vscode.window.showTextDocument(root.uri(place.path), { selection: range });
      await this.controller.reveal(root, place.path, id);
    } catch (error) {
      showError(error);
    }
  }

  /** Stores the text of a new thread. Returns its id. */
  async create(thread: vscode.CommentThread, text: string, draft: boolean): Promise<string> {
    return this.storeText(text, () => this.boxes.store(thread, text, draft));
  }

  discard(thread: vscode.CommentThread | undefined): void {
    if (thread !== undefined) {
      this.boxes.discard(thread);
    }
  }

  /** Replies to the thread that the argument of a command means. */
  async replyTo(argument: unknown, text: string, resolve: boolean): Promise<void> {
    const target = await this.find(argument);
    if (target === undefined) {
      return;
    }
    const { root, id } = target;
    this.controller.pin(root, id);
    // The button can be pressed again while the reply is stored.
    const key = JSON.stringify([root.path, id, text, resolve]);
    const running = this.replies.get(key);
    if (running !== undefined) {
      return running;
    }
    const reply = this.storeText(text, () => root.reviews.reply(id, text, resolve)).then(() => undefined);
    this.replies.set(key, reply);
    await reply.finally(() => this.replies.delete(key));
    await this.controller.refreshThread(root, id);
  }

  private async createFrom(box: Reply | NewComment, draft: boolean): Promise<void> {
    if (!(box instanceof NewComment)) {
      await this.create(box.thread, box.text, draft);
    } else if (box.thread !== undefined) {
      const { thread, written } = box;
      await this.orEditAgain(box, written, () => this.create(thread, written, draft));
    }
  }

  private async addFileComment(uri?: unknown): Promise<string | undefined> {
    const editor = await editorFor(uri);
    return editor && this.boxes.open(editor.document.uri, null);
  }

  private startEditing(comment: unknown): void {
    if (comment instanceof CommentObject) {
      comment.startEditing();
      comment.refresh();
    }
  }

  private async cancelEdit(comment: unknown): Promise<void> {
    const root = comment instanceof CommentObject ? this.roots.get(comment.widget.rootPath) : undefined;
    if (comment instanceof CommentObject && root !== undefined) {
      comment.stopEditing();
      comment.refresh();
      // Others may have changed the comment meanwhile.
      await this.controller.refreshThread(root, comment.widget.id);
    }
  }

  private async saveComment(comment: unknown): Promise<void> {
    const target = comment instanceof CommentObject ? await this.find(comment) : undefined;
    if (!(comment instanceof CommentObject) || target === undefined) {
      return;
    }
    const text = comment.written;
    const { root, id } = target;
    await this.orEditAgain(comment, text, () =>
      this.storeText(text, () => root.reviews.edit(id, comment.id, text, comment.text)),
    );
    comment.stopEditing(text);
    comment.refresh();
    await this.controller.refreshThread(root, id);
  }

  /** Opens the box of a comment again if its text could not be stored. */
  private async orEditAgain<T>(comment: EditableComment, text: string, store: () => Promise<T>): Promise<T> {
    try {
      return await store();
    } catch (error) {
      await comment.editAgain(text);
      throw error;
    }
  }

  /** Unfolds the thread at the cursor and gives it the focus. Returns false if there is none. */
  private async focusAtCursor(): Promise<boolean> {
    const [editor, found] = [vscode.window.activeTextEditor, this.controller.atCursor(() => true)];
    if (editor === undefined || found === undefined) {
      return false;
    }
    found.widget.expand();
    if (found.lines !== null) {
      // VS Code finds the thread of the cursor by its last line.
      const end = new vscode.Position(Math.min(found.lines.end, editor.document.lineCount - 1), 0);
      editor.selection = new vscode.Selection(end, end);
      await vscode.commands.executeCommand("workbench.action.focusCommentOnCurrentLine");
    }
    return true;
  }

  private async change(done: string, target: Target | undefined, write: (target: Target) => Promise<Written>): Promise<void> {
    if (target === undefined) {
      return;
    }
    try {
      const written = await write(target);
      vscode.window.setStatusBarMessage(`${done} the thread on ${written.at ?? written.id}`, 3000);
      const path = written.at === null ? undefined : parsePlace(written.at).path;
      await this.controller.refreshThread(target.root, target.id, path);
    } catch (error) {
      showError(error);
    }
  }

  private async offerUndo(root: Root, written: Written): Promise<void> {
    const undo = "Undo";
    const message = `Deleted the thread on ${written.at ?? written.id}.`;
    if ((await vscode.window.showInformationMessage(message, undo)) !== undo) {
      return;
    }
    try {
      const restored = await root.reviews.restore(written.id);
      const path = parsePlace(restored.at ?? written.at ?? "").path;
      await this.controller.refreshThread(root, written.id, path);
    } catch (error) {
      showError(error);
    }
  }

  /** The error is also thrown: VS Code then keeps the text in the box. */
  private async storeText<T>(text: string, store: () => Promise<T>): Promise<T> {
    try {
      return await store();
    } catch (error) {
      if (!(error instanceof vscode.CancellationError)) {
        showTextError(error, text);
      }
      throw error instanceof vscode.CancellationError ? error : new Error(messageOf(error));
    }
  }

  private find(argument: unknown, applies?: (view: ReviewView) => boolean): Promise<Target | undefined> {
    return findTarget(argument, this.roots, this.controller, applies);
  }
}

/** The argument of the menu of line numbers, whose lines count from 1. */
function lineNumberMenu(argument: unknown): { uri: vscode.Uri; line: number } | undefined {
  const fields = argument as { lineNumber?: unknown; uri?: vscode.Uri } | undefined | null;
  return typeof fields?.lineNumber === "number" && fields.uri !== undefined
    ? { uri: fields.uri, line: fields.lineNumber - 1 }
    : undefined;
}

async function editorFor(uri: unknown): Promise<vscode.TextEditor | undefined> {
  const active = vscode.window.activeTextEditor;
  if (!(uri instanceof vscode.Uri) || active?.document.uri.toString() === uri.toString()) {
    return active;
  }
  return vscode.window.showTextDocument(uri);
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
