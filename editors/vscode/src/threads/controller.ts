// Shows threads in the editors that the user sees: lists a file when it becomes visible, after it was saved, and after
// events of `skein watch`.
import * as vscode from "vscode";
import { Backoff } from "../backoff";
import type { Log } from "../cli";
import type { ReviewView } from "../documents";
import type { Root, RootEvent, Roots } from "../roots";
import { DocumentThreads } from "./document_threads";
import { concerns, disposeFile, documentOf, type FileState, isVisible, lineChanges, visibleLines } from "./file_state";
import { hasCode, type Location, type ThreadFields, threadFields } from "./fields";
import { ShownThreads } from "./shown";
import { Summary } from "./summary";
import { ThreadWidget, toRange } from "./widget";

/** Waits for more changes of code, which come in groups. */
const MOVED_DELAY = 300;
const EVENT_DELAY = 30;
/** Scrolling has an event for each step; threads are chosen again when it pauses. */
const SCROLL_DELAY = 150;
/** Lists this often until the document has the listed code; a file with another encoding never has it. */
const MAX_RETRIES = 20;

export class ThreadController implements vscode.Disposable {
  private readonly files = new Map<string, FileState>();
  private readonly onDocuments = new DocumentThreads();
  private readonly disposables: vscode.Disposable[] = [];
  private readonly restChanged = new vscode.EventEmitter<void>();
  private disposed = false;
  /** The number of threads that are not shown may have changed. */
  readonly onDidChangeRest = this.restChanged.event;

  constructor(
    readonly controller: vscode.CommentController,
    private readonly roots: Roots,
    private readonly log: Log,
  ) {
    this.disposables.push(
      roots.onEvent((event) => this.handleEvent(event)),
      roots.onDidChange(() => this.updateRoots()),
      this.restChanged,
      vscode.window.onDidChangeVisibleTextEditors(() => this.updateVisible()),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.handleScroll(textEditor.document.uri)),
      vscode.workspace.onDidSaveTextDocument((document) => this.refreshLater(document.uri, EVENT_DELAY)),
      vscode.workspace.onDidChangeTextDocument((event) => this.handleChange(event)),
    );
    this.updateVisible();
  }

  dispose(): void {
    this.disposed = true;
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
    this.onDocuments.dispose();
    for (const state of this.files.values()) {
      disposeFile(state);
    }
  }

  /** Returns the thread of an object of the editor. */
  widgetOf(thread: vscode.CommentThread): ThreadWidget | undefined {
    for (const state of this.files.values()) {
      const widget = state.shown.find((each) => (each as ThreadWidget).thread === thread);
      if (widget !== undefined) {
        return widget as ThreadWidget;
      }
    }
    return this.onDocuments.find(thread);
  }

  /** Returns the thread at the cursor that a command applies to, and its lines. */
  atCursor(applies: (view: ReviewView) => boolean): { widget: ThreadWidget; lines: Location["lines"] } | undefined {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      return undefined;
    }
    const { document, selection } = editor;
    const shown = this.stateOf(document.uri)?.shown.at(selection.active.line, applies);
    if (shown !== undefined) {
      return { widget: shown.widget as ThreadWidget, lines: shown.lines };
    }
    const widget = this.onDocuments.on(document.uri, applies);
    return widget && { widget, lines: null };
  }

  /** Returns the number of open threads of a file that are not shown. */
  countRest(uri: vscode.Uri): number {
    return this.stateOf(uri)?.rest.length ?? 0;
  }

  /** Shows a thread on a document that is not a file, such as the text of a deleted one. */
  showOn(root: Root, uri: vscode.Uri, location: Location, view: ReviewView): ThreadWidget {
    const create = () => this.createWidget(root, uri, view.id, location, threadFields(view));
    return this.onDocuments.show(root, uri, view, create);
  }

  /** Returns what is known of a thread that is shown. */
  viewOf(rootPath: string, id: string): ReviewView | undefined {
    return this.statesOf(rootPath, id)[0]?.shown.view(id);
  }

  /** Makes the box of a new comment the thread with this id. */
  adopt(root: Root, thread: vscode.CommentThread, view: ReviewView): ThreadWidget {
    const widget = new ThreadWidget(root.path, view.id, threadFields(view), (comments) => {
      thread.comments = comments;
      return thread;
    });
    const state = this.state(root, view.placement?.path ?? root.pathOf(thread.uri) ?? "");
    state.views = [view, ...state.views];
    state.shown.adopt(view, widget);
    return widget;
  }

  /** The user may be writing in this thread: it is not replaced by others. */
  pin(root: Root, id: string): void {
    for (const state of this.statesOf(root.path, id)) {
      state.shown.pin(id);
    }
  }

  /** Shows a thread that may be hidden, and unfolds it. */
  async reveal(root: Root, path: string, id: string): Promise<ThreadWidget | undefined> {
    const state = this.state(root, path);
    state.shown.pin(id);
    await this.refresh(root, path);
    const widget = state.shown.widget(id) as ThreadWidget | undefined;
    widget?.expand();
    return widget;
  }

  remove(root: Root, id: string): void {
    this.onDocuments.remove(root, id);
    for (const state of this.statesOf(root.path, id)) {
      state.views = state.views.filter((view) => view.id !== id);
      state.shown.remove(id);
    }
  }

  showResolved(root: Root, path: string, show: boolean): Promise<void> {
    this.state(root, path).shown.showResolved = show;
    return this.refresh(root, path);
  }

  /** Lists a file again. Calls follow each other, so that an older list never replaces a newer one. */
  refresh(root: Root, path: string): Promise<void> {
    const state = this.state(root, path);
    clearTimeout(state.timer);
    state.timer = undefined;
    state.listing = state.listing.then(() => this.list(state));
    return state.listing;
  }

  /** Runs a write while the file is not listed, so that the list does not show its result twice. */
  async withoutListing<T>(root: Root, path: string, write: () => Promise<T>): Promise<T> {
    const state = this.state(root, path);
    const result = state.listing.then(write);
    state.listing = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  /** Lists the files again in which the thread is shown, and the given one. */
  async refreshThread(root: Root, id: string, path?: string): Promise<void> {
    const paths = new Set(this.statesOf(root.path, id).map((state) => state.path));
    if (path !== undefined) {
      paths.add(path);
    }
    await Promise.all([...[...paths].map((each) => this.refresh(root, each)), this.onDocuments.refresh(root, id)]);
  }

  async refreshAll(): Promise<void> {
    for (const state of this.files.values()) {
      state.stale = true;
      state.shown.forgetLines();
    }
    this.updateVisible();
    await Promise.all([...this.files.values()].map((state) => state.listing));
  }

  private async list(state: FileState): Promise<void> {
    state.stale = false;
    let views: ReviewView[];
    try {
      views = await state.root.reviews.listFile(state.path);
    } catch (error) {
      state.stale = true;
      this.log(`Cannot list ${state.path}: ${String(error)}`);
      this.refreshIfVisible(state, state.backoff.next());
      return;
    }
    if (state.disposed) {
      return;
    }
    state.backoff.reset();
    state.views = views;
    this.show(state);
  }

  /** Shows the threads of the last list, of too many those near the visible lines. */
  private show(state: FileState): void {
    const document = documentOf(state.uri);
    const lineAt = (line: number) =>
      document === undefined || line >= document.lineCount ? undefined : document.lineAt(line).text;
    let isBehind = false;
    const isCurrent = (view: ReviewView) => {
      const hasText = document === undefined || hasCode(view, lineAt) || state.retries >= MAX_RETRIES;
      isBehind ||= !hasText;
      // The lines of a document with unsaved changes are not those of the file.
      return hasText && document?.isDirty !== true;
    };
    const isDamaged = (id: string) => state.root.damaged.has(id);
    const choice = state.shown.apply(state.views, { isCurrent, isDamaged, visible: visibleLines(state.uri) });
    state.rest = choice.rest;
    state.summary.update(choice.rest);
    this.restChanged.fire();
    state.retries = isBehind ? state.retries + 1 : 0;
    if (isBehind && document?.isDirty !== true) {
      // The editor reads a changed file again soon.
      this.schedule(state, MOVED_DELAY);
    }
  }

  private handleEvent({ root, event }: RootEvent): void {
    if (event !== undefined && event.kind !== "review" && event.kind !== "store") {
      return;
    }
    if (event !== undefined) {
      void this.onDocuments.refresh(root, event.id);
    }
    const delay = event?.event === "moved" ? MOVED_DELAY : EVENT_DELAY;
    for (const state of this.files.values()) {
      if (state.root === root && concerns(event, state)) {
        state.stale = true;
        this.refreshIfVisible(state, delay);
      }
    }
  }

  private handleChange({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const state = this.stateOf(document.uri);
    if (state === undefined || contentChanges.length === 0) {
      return;
    }
    state.retries = 0;
    state.shown.follow(lineChanges(contentChanges));
    if (!document.isDirty) {
      // It was read from disk again.
      this.refreshLater(document.uri, MOVED_DELAY);
    }
  }

  private handleScroll(uri: vscode.Uri): void {
    const state = this.stateOf(uri);
    if (state === undefined || state.rest.length === 0) {
      return;
    }
    clearTimeout(state.scrollTimer);
    state.scrollTimer = setTimeout(() => {
      // After a list or a write that is running, as the list that is shown is older.
      state.listing = state.listing.then(() => (state.disposed ? undefined : this.show(state)));
    }, SCROLL_DELAY);
  }

  private updateRoots(): void {
    for (const [key, state] of [...this.files]) {
      if (this.roots.get(state.root.path) !== state.root) {
        disposeFile(state);
        this.files.delete(key);
      }
    }
    this.updateVisible();
  }

  private updateVisible(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const found = this.roots.find(editor.document.uri);
      if (found !== undefined) {
        this.refreshIfVisible(this.state(found.root, found.path), 0);
      }
    }
    for (const state of this.files.values()) {
      state.shown.disposeFolded();
    }
  }

  private refreshIfVisible(state: FileState, delay: number): void {
    if (state.stale && isVisible(state.uri)) {
      this.schedule(state, delay);
    }
  }

  private refreshLater(uri: vscode.Uri, delay: number): void {
    const state = this.stateOf(uri);
    if (state !== undefined) {
      this.schedule(state, delay);
    }
  }

  private schedule(state: FileState, delay: number): void {
    clearTimeout(state.timer);
    if (state.disposed) {
      return;
    }
    state.timer = setTimeout(() => void this.refresh(state.root, state.path), delay);
  }

  private stateOf(uri: vscode.Uri): FileState | undefined {
    const found = this.roots.find(uri);
    return found && this.files.get(keyOf(found.root, found.path));
  }

  private statesOf(rootPath: string, id: string): FileState[] {
    return [...this.files.values()].filter((state) => state.root.path === rootPath && state.shown.has(id));
  }

  private state(root: Root, path: string): FileState {
    const key = keyOf(root, path);
    const known = this.files.get(key);
    if (known !== undefined) {
      return known;
    }
    const uri = root.uri(path);
    const create = (id: string, location: Location, fields: ThreadFields) =>
      this.createWidget(root, uri, id, location, fields);
    const state: FileState = {
      root,
      path,
      uri,
      shown: new ShownThreads(path, { create }),
      summary: new Summary(this.controller, root, uri),
      views: [],
      rest: [],
      stale: true,
      retries: 0,
      backoff: new Backoff(),
      disposed: this.disposed,
      timer: undefined,
      scrollTimer: undefined,
      listing: Promise.resolve(),
    };
    this.files.set(key, state);
    return state;
  }

  private createWidget(root: Root, uri: vscode.Uri, id: string, location: Location, fields: ThreadFields): ThreadWidget {
    const range = location.lines === null ? undefined : toRange(location.lines);
    return new ThreadWidget(root.path, id, fields, (comments) => {
      // Without a range the thread belongs to the whole file; the type does not say so.
      const thread = this.controller.createCommentThread(uri, range as vscode.Range, comments);
      // VS Code shows no mark for a folded thread on a whole file. Others are folded by default: setting `Collapsed` would
      // take effect 0.1 s later, and could fold a thread that the user has just unfolded.
      if (location.lines === null && !fields.resolved) {
        thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
      }
      return thread;
    });
  }
}

function keyOf(root: Root, path: string): string {
  return `${root.path}\0${path}`;
}
