// The roots of the open folders: one `skein watch` and one queue of writes for each.
import { realpathSync } from "node:fs";
import * as vscode from "vscode";
import { Cli, type Log } from "./cli";
import type { WatchEvent } from "./documents";
import { absolutePath, editorRoot, relativePath } from "./paths";
import { Reviews } from "./reviews";
import { Watch } from "./watch";

/** A directory with its stores. Several folders of a window may belong to the same root. */
export class Root {
  readonly reviews: Reviews;

  constructor(
    /** The directory, without symbolic links. */
    readonly path: string,
    /** The same directory as the editor knows it. */
    readonly editorPath: string,
    readonly name: string,
    readonly cli: Cli,
  ) {
    this.reviews = new Reviews(cli);
  }

  uri(path: string): vscode.Uri {
    return vscode.Uri.file(absolutePath(this.editorPath, path));
  }

  /** Returns the path of a file in this root; undefined for other files. */
  pathOf(uri: vscode.Uri): string | undefined {
    return uri.scheme === "file" ? relativePath(this.editorPath, uri.fsPath) : undefined;
  }
}

export interface RootEvent {
  root: Root;
  /** Undefined if events may have been missed. */
  event: WatchEvent | undefined;
}

export class Roots implements vscode.Disposable {
  private readonly roots = new Map<string, { root: Root; watch: Watch }>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly happened = new vscode.EventEmitter<RootEvent>();
  private readonly folders: vscode.Disposable;
  private readonly failed = new vscode.EventEmitter<unknown>();
  private updates: Promise<void> = Promise.resolve();
  /** A root was added or removed. */
  readonly onDidChange = this.changed.event;
  readonly onEvent = this.happened.event;
  /** The program cannot read a folder. */
  readonly onError = this.failed.event;

  constructor(
    private readonly program: string,
    private readonly log: Log,
  ) {
    this.folders = vscode.workspace.onDidChangeWorkspaceFolders(() => this.update());
  }

  get all(): Root[] {
    return [...this.roots.values()].map((each) => each.root);
  }

  get(path: string): Root | undefined {
    return this.roots.get(path)?.root;
  }

  /** Returns the root of a file, the innermost one if several contain it. */
  find(uri: vscode.Uri): { root: Root; path: string } | undefined {
    return this.all
      .flatMap((root) => {
        const path = root.pathOf(uri);
        return path === undefined ? [] : [{ root, path }];
      })
      .sort((a, b) => a.path.length - b.path.length)[0];
  }

  /** Opens the roots of the folders of this window, and closes the others. */
  update(): Promise<void> {
    this.updates = this.updates.then(() => this.updateNow());
    return this.updates;
  }

  dispose(): void {
    this.folders.dispose();
    for (const { watch } of this.roots.values()) {
      watch.dispose();
    }
    this.roots.clear();
    this.changed.dispose();
    this.happened.dispose();
    this.failed.dispose();
  }

  private async updateNow(): Promise<void> {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
    const found = await Promise.all(folders.map((folder) => this.open(folder)));
    const wanted = new Map(found.flatMap((root) => (root ? [[root.path, root] as const] : [])));
    for (const [path, { watch }] of [...this.roots]) {
      if (!wanted.has(path)) {
        watch.dispose();
        this.roots.delete(path);
      }
    }
    for (const [path, root] of wanted) {
      if (!this.roots.has(path)) {
        this.roots.set(path, { root, watch: this.watch(root) });
      }
    }
    this.changed.fire();
  }

  private async open(folder: vscode.WorkspaceFolder): Promise<Root | undefined> {
    const path = folder.uri.fsPath;
    try {
      const overview = await new Reviews(new Cli(this.program, path, this.log)).overview();
      const editorPath = editorRoot(path, realpathSync(path), overview.root);
      return new Root(overview.root, editorPath, folder.name, new Cli(this.program, overview.root, this.log));
    } catch (error) {
      this.log(`Cannot open ${path}: ${String(error)}`);
      this.failed.fire(error);
      return undefined;
    }
  }

  private watch(root: Root): Watch {
    return new Watch({
      program: this.program,
      root: root.path,
      onEvent: (event) => this.happened.fire({ root, event }),
      onReady: () => this.happened.fire({ root, event: undefined }),
      log: this.log,
    });
  }
}
