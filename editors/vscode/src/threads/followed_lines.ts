// Lines of a document for which something is being written, while the document is edited, closed and changed on disk.
import * as vscode from "vscode";
import { lineChanges } from "./file_state";
import { findLines, followLines, type Lines } from "./follow";

export class FollowedLines implements vscode.Disposable {
  /** The text when the document was first closed. Changes on disk are not reported then, so the lines stay those of this text. */
  private closed: string[] | undefined;
  private readonly disposables: vscode.Disposable[];

  /** Null for the whole file. */
  constructor(
    readonly uri: vscode.Uri,
    private lines: Lines | null,
  ) {
    const isOwn = (document: vscode.TextDocument) => document.uri.toString() === this.uri.toString();
    this.disposables = [
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (isOwn(document) && this.lines !== null && this.closed === undefined) {
          this.lines = followLines(this.lines, lineChanges(contentChanges));
        }
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (isOwn(document)) {
          this.closed ??= linesOf(document);
        }
      }),
    ];
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  /** Returns the lines in the file and its text. The document is saved first, after a question: Skein stores what is on disk. */
  async saved(): Promise<{ lines: Lines | null; text: string[] }> {
    const document = await vscode.workspace.openTextDocument(this.uri);
    if (this.closed !== undefined) {
      this.lines = this.findIn(this.closed, linesOf(document));
      this.closed = undefined;
    }
    await requireSaved(document);
    // The editor reads a file that others have changed only after a moment.
    const bytes = await vscode.workspace.fs.readFile(this.uri);
    const decoded = await vscode.workspace.decode(bytes, { encoding: document.encoding });
    const text = splitLines(decoded.replace(/^\uFEFF/, ""));
    return { lines: this.findIn(linesOf(document), text), text };
  }

  private findIn(before: string[], after: string[]): Lines | null {
    const found = this.lines && findLines(before, after, this.lines);
    if (found === undefined) {
      throw new Error(`The lines of ${vscode.workspace.asRelativePath(this.uri)} were changed in the meantime.`);
    }
    return found;
  }
}

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

/** The lines of a document, without line ends. */
export function linesOf(document: vscode.TextDocument): string[] {
  return splitLines(document.getText());
}

function splitLines(text: string): string[] {
  return text.split(/\r?\n/);
}
