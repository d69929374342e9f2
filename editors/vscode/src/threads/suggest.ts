// Writes a suggestion: the selected lines are changed in an editor of their own, and become a comment.
import * as vscode from "vscode";
import { showTextError } from "../messages";
import type { Root, Roots } from "../roots";
import { SUGGEST_SCHEME } from "../virtual_uri";
import { closeTabs } from "./close_tabs";
import type { ThreadController } from "./controller";
import type { Lines } from "./follow";
import { FollowedLines, linesOf } from "./followed_lines";
import { suggestionBlock } from "./markdown";
import { MemoryFiles } from "./memory_files";
import { selectedLines } from "./new_comment";

/** Suggestions that were not sent are kept too: their tab can be opened again. */
const MAX_SUGGESTIONS = 20;

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
    const [oldest] = this.suggestions;
    if (this.suggestions.size > MAX_SUGGESTIONS && oldest !== undefined) {
      const [name, { lines: unused }] = oldest;
      unused.dispose();
      this.suggestions.delete(name);
    }
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
    const { document } = editor;
    const body = () => {
      const block = suggestionBlock(linesOf(document).join("\n"));
      return why.trim() === "" ? block : `${why.trim()}\n\n${block}`;
    };
    try {
      const lines = await linesNow(suggestion);
      // While a question was open, the button may have been pressed again.
      if (!this.suggestions.delete(document.uri.toString())) {
        return;
      }
      await this.add(suggestion, { lines, body: body(), draft }).catch((error: unknown) => {
        this.suggestions.set(document.uri.toString(), suggestion);
        throw error;
      });
    } catch (error) {
      if (!(error instanceof vscode.CancellationError)) {
        showTextError(error, body());
      }
      return;
    }
    await document.save();
    await closeTabs(document.uri);
  }

  private async add(suggestion: Suggestion, comment: { lines: Lines; body: string; draft: boolean }): Promise<void> {
    const { root, path, text } = suggestion;
    const [expect = ""] = text.split("\n");
    const { id } = await root.reviews.add({ path, expect, ...comment });
    suggestion.lines.dispose();
    void this.controller.refreshThread(root, id, path);
  }
}

/** Returns the lines in the file that a suggestion was written for. */
async function linesNow({ path, lines: followed, text }: Suggestion): Promise<Lines> {
  const { lines, text: saved } = await followed.saved();
  if (lines === null || saved.slice(lines.start, lines.end + 1).join("\n") !== text) {
    throw new Error(`The lines of ${path} were changed in the meantime.`);
  }
  return lines;
}

function addressOf(number: number, side: string, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SUGGEST_SCHEME, path: `/${number}/${side}/${path}` });
}
