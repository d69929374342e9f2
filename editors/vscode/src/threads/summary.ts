// One thread per file that lists the open threads that are not shown.
import * as vscode from "vscode";
import type { ReviewView } from "../documents";
import type { Root } from "../roots";
import { listRest } from "./choose";
import { escapeMarkdown } from "./markdown";

export class Summary {
  private thread: vscode.CommentThread | undefined;
  private text = "";

  constructor(
    private readonly controller: vscode.CommentController,
    private readonly root: Root,
    private readonly uri: vscode.Uri,
  ) {}

  update(rest: ReviewView[]): void {
    if (rest.length === 0) {
      this.dispose();
      return;
    }
    const text = summaryText(this.root.path, rest);
    if (text === this.text) {
      return;
    }
    this.text = text;
    const body = new vscode.MarkdownString(text);
    body.isTrusted = { enabledCommands: ["skein.revealThread"] };
    const thread = this.thread ?? this.create();
    thread.label = rest.length === 1 ? "1 more open thread" : `${rest.length} more open threads`;
    thread.comments = [{ author: { name: "Skein" }, body, mode: vscode.CommentMode.Preview, contextValue: "skein list" }];
  }

  dispose(): void {
    this.thread?.dispose();
    this.thread = undefined;
    this.text = "";
  }

  private create(): vscode.CommentThread {
    // Without a range the thread belongs to the whole file; the type does not say so.
    const range = undefined as unknown as vscode.Range;
    this.thread = this.controller.createCommentThread(this.uri, range, []);
    this.thread.canReply = false;
    this.thread.contextValue = "skein list";
    // VS Code shows no mark for a folded thread on a whole file.
    this.thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    return this.thread;
  }
}

function summaryText(rootPath: string, rest: ReviewView[]): string {
  const { lines, more } = listRest(rest);
  const items = lines.map((view) => {
    const argument = encodeURIComponent(JSON.stringify([{ root: rootPath, threadId: view.id }]));
    return `- [${escapeMarkdown(view.at ?? view.id)}](command:skein.revealThread?${argument}) ${escapeMarkdown(view.title)}`;
  });
  const head =
    "Too many threads in one file slow the editor down. Those near the visible lines are shown. Select another one to show it:";
  return [head, "", ...items, ...(more === 0 ? [] : ["", `and ${more} more`])].join("\n");
}
