// Lines of a document for which something is being written, while the document is edited, closed and changed on disk.
import * as vscode from "vscode";
import { lineChanges } from "./file_state";
import { findLines, followLines, type Lines } from "./follow";

export class FollowedLines implements vscode.Disposable {
  /** The text of the document when it was closed: changes on disk are not reported then. */
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
        if (isOwn(document) && this.lines !== null) {
          this.lines = followLines(this.lines, lineChanges(contentChanges));
        }
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (isOwn(document)) {
          this.closed = linesOf(document);
        }
      }),
    ];
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  /** Returns where the lines are in the file, which is saved first, after a question. Skein stores the text on disk. */
  async saved(): Promise<{ document: vscode.TextDocument; lines: Lines | null }> {
    const document = await vscode.workspace.openTextDocument(this.uri);
    if (this.closed !== undefined && this.lines !== null) {
      const found = findLines(this.closed, linesOf(document), this.lines);
      if (found === undefined) {
        throw new Error(`The lines were not found again in ${vscode.workspace.asRelativePath(this.uri)}.`);
      }
      this.lines = found;
    }
    this.closed = undefined;
    await requireSaved(document);
    return { document, lines: this.lines };
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
  return document.getText().split(/\r?\n/);
}
