// Writes a suggestion: the selected lines are changed in an editor of their own, and become a comment.
import * as vscode from "vscode";
import type { Written } from "../documents";
import { showTextError } from "../messages";
import type { Root, Roots } from "../roots";
import { SUGGEST_SCHEME } from "../virtual_uri";
import { closeTabs } from "./close_tabs";
import type { ThreadController } from "./controller";
import { FollowedLines, linesOf } from "./followed_lines";
import { suggestionBlock } from "./markdown";
import { MemoryFiles } from "./memory_files";
import { selectedLines } from "./new_comment";

interface Suggestion {
  root: Root;
  path: string;
  lines: FollowedLines;
  /** The text of the lines when they were selected. */
  text: string;
}

export class SuggestionWriter implements vscode.Disposable {
  private readonly files = new MemoryFiles();
  private readonly suggestions = new Map<string, Suggestion>();
  private readonly disposables: vscode.Disposable[];
  private count = 0;

  constructor(
    private readonly roots: Roots,
    private readonly controller: ThreadController,
  ) {
    this.disposables = [
      vscode.workspace.registerFileSystemProvider(SUGGEST_SCHEME, this.files, { isCaseSensitive: true }),
      vscode.commands.registerCommand("skein.suggestChange", () => this.open()),
      vscode.commands.registerCommand("skein.sendSuggestion", () => this.send(false)),
      vscode.commands.registerCommand("skein.draftSuggestion", () => this.send(true)),
    ];
  }

  dispose(): void {
    for (const disposable of [...this.disposables, ...[...this.suggestions.values()].map(({ lines }) => lines)]) {
      disposable.dispose();
    }
  }

  private async open(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const found = editor && this.roots.find(editor.document.uri);
    if (editor === undefined || found === undefined) {
      void vscode.window.showInformationMessage("Skein: Select lines of a file in an open folder first.");
      return;
    }
    const selected = selectedLines(editor.selection);
    const text = linesOf(editor.document).slice(selected.start, selected.end + 1).join("\n");
    this.count += 1;
    const original = addressOf(this.count, "original", found.path);
    const suggested = addressOf(this.count, "suggested", found.path);
    this.files.set(original, text);
    this.files.set(suggested, text);
    const lines = new FollowedLines(editor.document.uri, selected);
    this.suggestions.set(suggested.toString(), { ...found, lines, text });
    const title = `Suggest a change of ${found.path}:${selected.start + 1}`;
    await vscode.commands.executeCommand("vscode.diff", original, suggested, title);
    vscode.window.setStatusBarMessage("Change the text on the right, then press ✓ in the title of the editor", 10_000);
  }

  private async send(draft: boolean): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const suggestion = editor && this.suggestions.get(editor.document.uri.toString());
    if (editor === undefined || suggestion === undefined) {
      void vscode.window.showInformationMessage("Skein: Put the cursor into the suggested text first.");
      return;
    }
    const why = await vscode.window.showInputBox({ prompt: "Why? May be empty", title: "Suggest a change" });
    if (why === undefined) {
      return;
    }
    const block = suggestionBlock(linesOf(editor.document).join("\n"));
    const body = why.trim() === "" ? block : `${why.trim()}\n\n${block}`;
    const name = editor.document.uri.toString();
    if (!this.suggestions.delete(name)) {
      return;
    }
    try {
      const { id } = await store(suggestion, body, draft);
      suggestion.lines.dispose();
      void this.controller.refreshThread(suggestion.root, id, suggestion.path);
    } catch (error) {
      this.suggestions.set(name, suggestion);
      if (!(error instanceof vscode.CancellationError)) {
        showTextError(error, body);
      }
      return;
    }
    await editor.document.save();
    await closeTabs(editor.document.uri);
  }
}

/** Stores a suggestion on the lines that it was written for. */
async function store({ root, path, lines: followed, text }: Suggestion, body: string, draft: boolean): Promise<Written> {
  const { lines, text: saved } = await followed.saved();
  const [expect = ""] = text.split("\n");
  if (lines === null || saved.slice(lines.start, lines.end + 1).join("\n") !== text) {
    throw new Error(`The lines of ${path} were changed in the meantime.`);
  }
  return root.reviews.add({ path, lines, expect, body, draft });
}

function addressOf(number: number, side: string, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SUGGEST_SCHEME, path: `/${number}/${side}/${path}` });
}
