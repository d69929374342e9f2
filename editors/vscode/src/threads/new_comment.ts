// Boxes in which a new thread is written, and the first comment that makes a thread of one. The `+` of the editor opens
// a box of VS Code; commands open one of their own, because VS Code offers none on a line that has a thread.
import * as vscode from "vscode";
import { messageOf, showError } from "../messages";
import type { NewComment as FirstComment } from "../reviews";
import type { Root, Roots } from "../roots";
import type { ThreadController } from "./controller";
import type { Location } from "./fields";
import { FollowedLines } from "./followed_lines";
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
  lines: FollowedLines;
}

export class NewComments implements vscode.Disposable {
  private readonly boxes = new Map<string, Box>();
  private readonly stored = new WeakMap<vscode.CommentThread, Promise<string>>();
  private count = 0;

  constructor(
    private readonly roots: Roots,
    private readonly controller: ThreadController,
  ) {}

  dispose(): void {
    for (const { thread, lines } of this.boxes.values()) {
      thread.dispose();
      lines.dispose();
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
    this.boxes.set(name, { thread, lines: new FollowedLines(uri, lines) });
    return name;
  }

  box(name: string): vscode.CommentThread | undefined {
    return this.boxes.get(name)?.thread;
  }

  /** Stores the first comment of a box, only once however often it is asked to. Returns the id of the thread. */
  async store(thread: vscode.CommentThread, body: string, draft: boolean): Promise<string> {
    const found = this.roots.find(thread.uri);
    if (found === undefined) {
      throw new Error("This file is not in an open folder.");
    }
    const { root, path } = found;
    const own = [...this.boxes.values()].find((box) => box.thread === thread)?.lines;
    // VS Code updates the range of its own boxes when a button is pressed.
    const followed = own ?? new FollowedLines(thread.uri, rangeLines(thread.range));
    try {
      const { lines, text } = await followed.saved();
      const expect = lines === null ? "" : (text[lines.start] ?? "");
      // While a question was open, the button may have been pressed again.
      const known = this.stored.get(thread);
      return await (known ?? this.add(root, thread, { path, lines, expect, body, draft }));
    } finally {
      if (followed !== own) {
        followed.dispose();
      }
    }
  }

  private add(root: Root, thread: vscode.CommentThread, comment: FirstComment): Promise<string> {
    const stored = this.controller.withoutListing(root, comment.path, async () => {
      const { id } = await root.reviews.add(comment);
      this.forget(thread);
      await this.showStored(root, thread, id);
      return id;
    });
    this.stored.set(thread, stored);
    stored.catch(() => this.stored.delete(thread));
    return stored;
  }

  /** Makes a box the thread that is stored. If that fails, the box is closed: its text must not be stored again. */
  private async showStored(root: Root, thread: vscode.CommentThread, id: string): Promise<void> {
    try {
      this.controller.adopt(root, thread, await root.reviews.show(id));
    } catch (error) {
      thread.dispose();
      showError(new Error(`The comment is stored, but cannot be shown yet. ${messageOf(error)}`));
      void this.controller.refreshThread(root, id, root.pathOf(thread.uri));
    }
  }

  /** Removes a box without storing anything. */
  discard(thread: vscode.CommentThread): void {
    this.forget(thread);
    thread.dispose();
  }

  private forget(thread: vscode.CommentThread): void {
    for (const [name, box] of [...this.boxes]) {
      if (box.thread === thread) {
        box.lines.dispose();
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

function rangeLines(range: vscode.Range | undefined): Location["lines"] {
  return range === undefined ? null : { start: range.start.line, end: range.end.line };
}
