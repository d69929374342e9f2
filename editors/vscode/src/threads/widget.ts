// A thread and its comments as objects of VS Code. Each lives as long as its thread; fields are set only if they differ.
import * as vscode from "vscode";
import type { CommentFields, Location, ThreadFields } from "./fields";
import type { Lines } from "./follow";
import { displayedBody } from "./markdown";
import type { Widget } from "./shown";

/** VS Code collects changes of a thread for 100 ms; two changes with this pause are sent one after the other. */
const UPDATE_PAUSE = 200;
/** VS Code shortens a range to the length of its last line. */
const MAX_COLUMN = 1000;

/** A comment whose text the user can change. */
export abstract class EditableComment implements vscode.Comment {
  body: string | vscode.MarkdownString;
  mode = vscode.CommentMode.Preview;
  abstract author: vscode.CommentAuthorInformation;
  abstract contextValue: string;
  private reopening = false;

  constructor(body: string | vscode.MarkdownString) {
    this.body = body;
  }

  /** Sends the comment to the editor. */
  abstract refresh(): void;

  /** The text that the user wrote. */
  get written(): string {
    return typeof this.body === "string" ? this.body : this.body.value;
  }

  /** Whether the body is a text that is not stored. */
  get isEdited(): boolean {
    return this.reopening || this.mode === vscode.CommentMode.Editing;
  }

  /** VS Code closes the box of a comment when a button is pressed. Opens it again with the text that was not stored. */
  async editAgain(text: string): Promise<void> {
    this.reopening = true;
    this.body = text;
    this.mode = vscode.CommentMode.Preview;
    this.refresh();
    await new Promise((resolve) => setTimeout(resolve, UPDATE_PAUSE));
    this.body = text;
    this.mode = vscode.CommentMode.Editing;
    this.reopening = false;
    this.refresh();
  }
}

/** A comment of a thread. The object stays the same, because a new one would drop the text of an edit box. */
export class CommentObject extends EditableComment {
  author: vscode.CommentAuthorInformation;
  contextValue: string;
  label?: string;
  timestamp?: Date;

  constructor(
    readonly widget: ThreadWidget,
    private fields: CommentFields,
  ) {
    super(renderBody(fields.body));
    this.author = { name: fields.author };
    this.contextValue = fields.contextValue;
    this.setOptional(fields);
  }

  refresh(): void {
    this.widget.refreshComments();
  }

  get id(): string {
    return this.fields.id;
  }

  get key(): string {
    return this.fields.key;
  }

  /** The text as it is in the thread. */
  get text(): string {
    return this.fields.body;
  }

  /** Returns whether anything changed. */
  update(fields: CommentFields): boolean {
    if (JSON.stringify(fields) === JSON.stringify(this.fields)) {
      return false;
    }
    if (this.isEdited) {
      // The user is changing the text as it was; a conflict is found when it is saved.
      return false;
    }
    this.fields = fields;
    this.author = { name: fields.author };
    this.contextValue = fields.contextValue;
    this.setOptional(fields);
    this.body = renderBody(fields.body);
    return true;
  }

  startEditing(): void {
    // A plain string is not rendered, so that nothing in it is loaded.
    this.body = this.fields.body;
    this.mode = vscode.CommentMode.Editing;
  }

  /** Ends editing, with a new text if it was stored. */
  stopEditing(text = this.fields.body): void {
    this.fields = { ...this.fields, body: text };
    this.body = renderBody(text);
    this.mode = vscode.CommentMode.Preview;
  }

  private setOptional(fields: CommentFields): void {
    if (fields.label === "") {
      delete this.label;
    } else {
      this.label = fields.label;
    }
    const time = fields.createdAt === null ? Number.NaN : Date.parse(fields.createdAt);
    if (!Number.isNaN(time)) {
      this.timestamp = new Date(time);
    }
  }
}

export class ThreadWidget implements Widget {
  readonly thread: vscode.CommentThread;
  private comments: CommentObject[];

  /** `makeThread` gets the first comments: a thread that is empty at first would show an open box. */
  constructor(
    readonly rootPath: string,
    readonly id: string,
    fields: ThreadFields,
    makeThread: (comments: CommentObject[]) => vscode.CommentThread,
  ) {
    this.comments = fields.comments.map((each) => new CommentObject(this, each));
    this.thread = makeThread(this.comments);
    this.update(fields);
  }

  get expanded(): boolean {
    return this.thread.collapsibleState === vscode.CommentThreadCollapsibleState.Expanded;
  }

  update(fields: ThreadFields): void {
    const { thread } = this;
    const state = fields.resolved ? vscode.CommentThreadState.Resolved : vscode.CommentThreadState.Unresolved;
    if (thread.label !== fields.label) {
      thread.label = fields.label;
    }
    if (thread.contextValue !== fields.contextValue) {
      thread.contextValue = fields.contextValue;
    }
    if (thread.canReply !== fields.canReply) {
      thread.canReply = fields.canReply;
    }
    // Setting the state takes the focus, so it is set only when it changes.
    if (thread.state !== state) {
      thread.state = state;
    }
    this.updateComments(fields.comments);
  }

  move(lines: Location["lines"]): void {
    const range = lines === null ? undefined : toRange(lines);
    // VS Code drops a range that equals the last one, although it may have moved the thread since.
    const isLast = range !== undefined && this.thread.range?.isEqual(range);
    // Without a range a thread belongs to the whole file; the type does not say so.
    this.thread.range = (isLast ? range.with({ end: range.end.translate(0, 1) }) : range) as vscode.Range;
  }

  expand(): void {
    this.thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
  }

  /** Sends the comments to the editor again, after the mode of one of them changed. */
  refreshComments(): void {
    this.thread.comments = [...this.comments];
  }

  dispose(): void {
    this.thread.dispose();
  }

  private updateComments(fields: CommentFields[]): void {
    const known = new Map(this.comments.map((comment) => [comment.key, comment]));
    let changed = false;
    const comments = fields.map((each) => {
      const comment = known.get(each.key) ?? new CommentObject(this, each);
      known.delete(each.key);
      changed = comment.update(each) || changed;
      return comment;
    });
    // A comment that others deleted while the user changes it keeps its box.
    comments.push(...[...known.values()].filter((comment) => comment.isEdited));
    if (changed || comments.length !== this.comments.length || comments.some((each, index) => each !== this.comments[index])) {
      this.comments = comments;
      this.refreshComments();
    }
  }
}

/** Several lines are highlighted up to the end of the last one; the arrow of a single line points to its start. */
export function toRange(lines: Lines): vscode.Range {
  return new vscode.Range(lines.start, 0, lines.end, lines.start === lines.end ? 0 : MAX_COLUMN);
}

function renderBody(body: string): vscode.MarkdownString {
  return new vscode.MarkdownString(displayedBody(body));
}
