// Writes a suggestion: the selected lines are changed in an editor of their own, and become a comment.
import * as vscode from "vscode";
import { showTextError } from "../messages";
import type { Root, Roots } from "../roots";
import { SUGGEST_SCHEME } from "../virtual_uri";
import type { ThreadController } from "./controller";
import { extractLines } from "./lines";
import { suggestionBlock } from "./markdown";
import { MemoryFiles } from "./memory_files";
import { selectedLines } from "./new_comment";

interface Suggestion {
  root: Root;
  path: string;
  lines: { start: number; end: number };
  expect: string;
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
    for (const disposable of this.disposables) {
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
    if (editor.document.isDirty && !(await editor.document.save())) {
      return;
    }
    const lines = selectedLines(editor.selection);
    const text = extractLines(editor.document.getText(), lines);
    this.count += 1;
    const original = addressOf(this.count, "original", found.path);
    const suggested = addressOf(this.count, "suggested", found.path);
    this.files.set(original, text);
    this.files.set(suggested, text);
    this.suggestions.set(suggested.toString(), { ...found, lines, expect: text.split("\n")[0] ?? "" });
    const title = `Suggest a change of ${found.path}:${lines.start + 1}`;
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
    const block = suggestionBlock(editor.document.getText());
    const body = why.trim() === "" ? block : `${why.trim()}\n\n${block}`;
    const { root, path, lines, expect } = suggestion;
    try {
      const { id } = await root.reviews.add({ path, lines, expect, body, draft });
      this.suggestions.delete(editor.document.uri.toString());
      await editor.document.save();
      await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
      await this.controller.refreshThread(root, id, path);
    } catch (error) {
      showTextError(error, body);
    }
  }
}

function addressOf(number: number, side: string, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SUGGEST_SCHEME, path: `/${number}/${side}/${path}` });
}
