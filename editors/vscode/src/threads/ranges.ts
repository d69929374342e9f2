// Where the editor offers the `+` for a new comment.
import * as vscode from "vscode";
import type { Root, Roots } from "../roots";
import { changedLines } from "./changed_lines";

const SETTING = "localCodeReview.onlyCommentOnChanges";
/** The files of a repository in which Skein reads its settings. */
const SETTING_FILES = "{.skein.toml,.vscode/settings.json}";

export class CommentingRanges implements vscode.Disposable {
  private readonly changedOnly = new Map<string, Promise<boolean>>();
  private readonly disposables: vscode.Disposable[];
  private watchers: vscode.Disposable[] = [];

  constructor(
    private readonly controller: vscode.CommentController,
    private readonly roots: Roots,
  ) {
    this.disposables = [
      roots.onDidChange(() => {
        this.watchSettings();
        this.reset();
      }),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration(SETTING) && this.reset()),
    ];
  }

  dispose(): void {
    for (const disposable of [...this.disposables, ...this.watchers]) {
      disposable.dispose();
    }
  }

  /** A root can be above the open folder. */
  private watchSettings(): void {
    for (const watcher of this.watchers) {
      watcher.dispose();
    }
    const reset = () => this.reset();
    this.watchers = this.roots.all.flatMap((root) => {
      const files = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(root.uri(""), SETTING_FILES));
      return [files, files.onDidCreate(reset), files.onDidChange(reset), files.onDidDelete(reset)];
    });
  }

  /** The roots or the settings may have changed. The editor asks a provider only once, so that it is set again. */
  private reset(): void {
    this.changedOnly.clear();
    this.controller.commentingRangeProvider = {
      provideCommentingRanges: (document) => this.provideCommentingRanges(document),
    };
  }

  private async provideCommentingRanges(document: vscode.TextDocument): Promise<vscode.CommentingRanges> {
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
    const own = vscode.workspace.getConfiguration(undefined, root.uri("")).get<boolean>(SETTING);
    const asked = root.cli
      .read(["config", "get", "review.changed_only"])
      .then((answer) => (answer as { value?: unknown }).value === true)
      .catch(() => {
        this.changedOnly.delete(root.path);
        return false;
      })
      .then((value) => value || own === true);
    this.changedOnly.set(root.path, asked);
    return asked;
  }
}
