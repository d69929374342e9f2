// Where the editor offers the `+` for a new comment.
import * as vscode from "vscode";
import type { Root, Roots } from "../roots";
import { changedLines } from "./changed_lines";

export class CommentingRanges implements vscode.CommentingRangeProvider {
  private readonly changedOnly = new Map<string, Promise<boolean>>();

  constructor(private readonly roots: Roots) {}

  /** The settings may have changed. */
  reset(): void {
    this.changedOnly.clear();
  }

  async provideCommentingRanges(document: vscode.TextDocument): Promise<vscode.CommentingRanges> {
    const found = this.roots.find(document.uri);
    if (found === undefined) {
      return { enableFileComments: false, ranges: [] };
    }
    const wholeFile = [new vscode.Range(0, 0, Math.max(0, document.lineCount - 1), 0)];
    if (!(await this.isChangedOnly(found.root))) {
      return { enableFileComments: true, ranges: wholeFile };
    }
    try {
      const lines = changedLines(await found.root.reviews.changes(found.path));
      return { enableFileComments: true, ranges: lines.map(({ start, end }) => new vscode.Range(start, 0, end, 0)) };
    } catch {
      // Without a git repository there is nothing to compare with.
      return { enableFileComments: true, ranges: wholeFile };
    }
  }

  private isChangedOnly(root: Root): Promise<boolean> {
    const known = this.changedOnly.get(root.path);
    if (known !== undefined) {
      return known;
    }
    // Skein also reads the setting of the original extension in .vscode/settings.json; here the user's own one counts too.
    const own = vscode.workspace
      .getConfiguration("localCodeReview", vscode.Uri.file(root.editorPath))
      .get<boolean>("onlyCommentOnChanges");
    const asked = root.cli
      .read(["config", "get", "review.changed_only"])
      .then((answer) => (answer as { value?: unknown }).value === true)
      .catch(() => false)
      .then((value) => value || own === true);
    this.changedOnly.set(root.path, asked);
    return asked;
  }
}
