// The roots of the open folders: one `skein watch` and one queue of writes for each.
import { realpathSync } from "node:fs";
import * as vscode from "vscode";
import { Backoff } from "./backoff";
import { Cli, type Log } from "./cli";
import type { WatchEvent } from "./documents";
import { absolutePath, editorRoot, relativePath } from "./paths";
import { Reviews } from "./reviews";
import { Watch } from "./watch";

/** A directory with its stores. Several folders of a window may belong to the same root. */
export class Root {
  readonly reviews: Reviews;
  /** The ids of the threads whose files cannot be read. */
  damaged: ReadonlySet<string> = new Set();

  constructor(
    /** The directory, without symbolic links. */
    readonly path: string,
    /** The same directory as the editor knows it. */
    readonly editorPath: string,
    readonly name: string,
    readonly cli: Cli,
    /** The name with which the comments of the user are signed. */
    author?: string,
  ) {
    this.reviews = new Reviews(cli, author);
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
  /** The path of the root of each folder that was read. */
  private readonly rootOf = new Map<string, string>();
  /** Folders whose failure was reported: one message each, not one for each attempt. */
  private readonly reported = new Set<string>();
  private readonly backoff = new Backoff();
  private retry: NodeJS.Timeout | undefined;
  private disposed = false;
  private updates: Promise<void> = Promise.resolve();
  /** A root was added or removed. */
  readonly onDidChange = this.changed.event;
  readonly onEvent = this.happened.event;
  /** The program cannot read a folder. It is tried again after a while. */
  readonly onError = this.failed.event;

  constructor(
    private readonly program: string,
    private readonly log: Log,
  ) {
    this.folders = vscode.workspace.onDidChangeWorkspaceFolders(() => {
      this.backoff.reset();
      void this.update();
    });
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
    this.disposed = true;
    clearTimeout(this.retry);
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
    clearTimeout(this.retry);
    const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
    const unread = folders.filter((folder) => !this.rootOf.has(folder.uri.fsPath));
    const found = await Promise.all(unread.map((folder) => this.open(folder)));
    if (this.disposed) {
      return;
    }
    const before = [...this.roots.keys()].join("\0");
    this.close(new Set(folders.map((folder) => folder.uri.fsPath)));
    for (const root of found) {
      if (root !== undefined && !this.roots.has(root.path)) {
        this.roots.set(root.path, { root, watch: this.watch(root) });
      }
    }
    if (found.includes(undefined)) {
      this.retry = setTimeout(() => void this.update(), this.backoff.next());
    }
    if ([...this.roots.keys()].join("\0") !== before) {
      this.changed.fire();
    }
  }

  /** Closes the roots without a folder in this window. */
  private close(folders: Set<string>): void {
    for (const folder of [...this.rootOf.keys()].filter((each) => !folders.has(each))) {
      this.rootOf.delete(folder);
    }
    const wanted = new Set(this.rootOf.values());
    for (const [path, { watch }] of [...this.roots].filter(([path]) => !wanted.has(path))) {
      watch.dispose();
      this.roots.delete(path);
    }
  }

  private async open(folder: vscode.WorkspaceFolder): Promise<Root | undefined> {
    const path = folder.uri.fsPath;
    try {
      const overview = await new Reviews(new Cli(this.program, path, this.log)).overview();
      const editorPath = editorRoot(path, realpathSync(path), overview.root);
      this.rootOf.set(path, overview.root);
      this.reported.delete(path);
      const cli = new Cli(this.program, overview.root, this.log);
      return new Root(overview.root, editorPath, folder.name, cli, overview.author);
    } catch (error) {
      this.log(`Cannot open ${path}: ${String(error)}`);
      if (!this.disposed && !this.reported.has(path)) {
        this.reported.add(path);
        this.failed.fire(error);
      }
      return undefined;
    }
  }

  private handleEvent(root: Root, event: WatchEvent): void {
    if (event.kind === "review" && event.event === "broken") {
      root.damaged = new Set([...root.damaged, event.id]);
    } else if (event.kind === "review" && event.event === "mended") {
      root.damaged = new Set([...root.damaged].filter((id) => id !== event.id));
    }
    this.happened.fire({ root, event });
  }

  private watch(root: Root): Watch {
    return new Watch({
      program: this.program,
      root: root.path,
      onEvent: (event) => this.handleEvent(root, event),
      onReady: () => this.happened.fire({ root, event: undefined }),
      log: this.log,
    });
  }
}
