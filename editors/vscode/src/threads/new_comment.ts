// Boxes in which a new thread is written, and the first comment that makes a thread of one. The `+` of the editor opens
// a box of VS Code; commands open one of their own, because VS Code offers none on a line that has a thread.
import * as vscode from "vscode";
import type { Roots } from "../roots";
import type { ThreadController } from "./controller";
import type { Location } from "./fields";
import { lineChanges } from "./file_state";
import { followLines } from "./follow";
import { EditableComment, toRange } from "./widget";

/** The text of a box that a command opened. */
export class NewComment extends EditableComment {
  author = { name: "You" };
  contextValue = "skein new";
  thread: vscode.CommentThread | undefined;

  constructor() {
    super("");
    this.mode = vscode.CommentMode.Editing;
  }

  refresh(): void {
    if (this.thread !== undefined) {
      this.thread.comments = [this];
    }
  }
}

interface Box {
  thread: vscode.CommentThread;
  comment: NewComment;
  lines: Location["lines"];
}

export class NewComments implements vscode.Disposable {
  private readonly boxes = new Map<string, Box>();
  private readonly changes: vscode.Disposable;
  private count = 0;

  constructor(
    private readonly roots: Roots,
    private readonly controller: ThreadController,
  ) {
    this.changes = vscode.workspace.onDidChangeTextDocument((event) => this.follow(event));
  }

  dispose(): void {
    this.changes.dispose();
    for (const { thread } of this.boxes.values()) {
      thread.dispose();
    }
  }

  /** Opens a box on lines of a document, or on the whole file. Returns its name. */
  async open(uri: vscode.Uri, lines: Location["lines"]): Promise<string | undefined> {
    if (this.roots.find(uri) === undefined) {
      void vscode.window.showInformationMessage("Skein: This file is not in an open folder.");
      return undefined;
    }
    const range = lines === null ? undefined : toRange(lines);
    const comment = new NewComment();
    // Without a range the thread belongs to the whole file; the type does not say so.
    const thread = this.controller.controller.createCommentThread(uri, range as vscode.Range, [comment]);
    comment.thread = thread;
    thread.label = "New comment";
    thread.contextValue = "skein new";
    thread.canReply = false;
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    this.count += 1;
    const name = `new-${this.count}`;
    this.boxes.set(name, { thread, comment, lines });
    return name;
  }

  box(name: string): vscode.CommentThread | undefined {
    return this.boxes.get(name)?.thread;
  }

  /** Stores the first comment of a box. Returns the id of the thread. */
  async store(thread: vscode.CommentThread, body: string, draft: boolean): Promise<string> {
    const found = this.roots.find(thread.uri);
    if (found === undefined) {
      throw new Error("This file is not in an open folder.");
    }
    const document = await vscode.workspace.openTextDocument(thread.uri);
    await requireSaved(document);
    const own = [...this.boxes.values()].find((box) => box.thread === thread);
    // VS Code updates the range of its own boxes when a button is pressed.
    const lines = own === undefined ? linesOf(thread.range) : own.lines;
    const expect = lines === null ? "" : textOfLine(document, lines.start);
    const comment = { path: found.path, lines, expect, body, draft };
    return this.controller.withoutListing(found.root, found.path, async () => {
      const { id } = await found.root.reviews.add(comment);
      this.forget(thread);
      this.controller.adopt(found.root, thread, await found.root.reviews.show(id));
      return id;
    });
  }

  /** Removes a box without storing anything. */
  discard(thread: vscode.CommentThread): void {
    this.forget(thread);
    thread.dispose();
  }

  private follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const changes = lineChanges(contentChanges);
    for (const box of this.boxes.values()) {
      if (box.lines !== null && box.thread.uri.toString() === document.uri.toString()) {
        box.lines = followLines(box.lines, changes);
      }
    }
  }

  private forget(thread: vscode.CommentThread): void {
    for (const [name, box] of [...this.boxes]) {
      if (box.thread === thread) {
        this.boxes.delete(name);
      }
    }
  }
}

/** Returns the selected lines of an editor; a selection that ends at the start of a line does not include it. */
export function selectedLines(selection: vscode.Selection): NonNullable<Location["lines"]> {
  const { start, end } = selection;
  const excluded = end.character === 0 && end.line > start.line;
  return { start: start.line, end: excluded ? end.line - 1 : end.line };
}

/** Skein stores the text of the file on disk with a comment, so the document must be saved. */
async function requireSaved(document: vscode.TextDocument): Promise<void> {
  if (!document.isDirty) {
    return;
  }
  const save = "Save and Comment";
  const name = vscode.workspace.asRelativePath(document.uri);
  const answer = await vscode.window.showWarningMessage(
    `Skein: ${name} has changes that are not saved. A comment belongs to the saved text.`,
    save,
  );
  if (answer !== save || !(await document.save())) {
    throw new vscode.CancellationError();
  }
}

function linesOf(range: vscode.Range | undefined): Location["lines"] {
  return range === undefined ? null : { start: range.start.line, end: range.end.line };
}

function textOfLine(document: vscode.TextDocument, line: number): string {
  return line < document.lineCount ? document.lineAt(line).text : "";
}
