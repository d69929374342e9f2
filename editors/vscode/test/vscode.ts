// The parts of VS Code that tests need, as plain objects.

export class EventEmitter<T> {
  private listeners: ((event: T) => unknown)[] = [];
  readonly event = (listener: (event: T) => unknown) => {
    this.listeners.push(listener);
    return { dispose: () => (this.listeners = this.listeners.filter((each) => each !== listener)) };
  };

  fire(event: T): void {
    for (const listener of [...this.listeners]) {
      listener(event);
    }
  }

  dispose(): void {
    this.listeners = [];
  }
}

export const Uri = {
  file: (path: string) => ({ scheme: "file", fsPath: path, path, toString: () => `file://${path}` }),
};

/** A document that is saved with an edit of its first line, as a formatter may do. */
export class FakeDocument {
  isDirty = false;
  readonly encoding = "utf8";
  /** The file, if others have changed it and the editor has not read it yet. */
  onDisk: string[] | undefined;
  addedBySave: string[] = [];

  constructor(
    readonly uri: ReturnType<typeof Uri.file>,
    public lines: string[],
  ) {}

  get lineCount(): number {
    return this.lines.length;
  }

  getText(): string {
    return this.lines.join("\r\n");
  }

  lineAt(line: number): { text: string } {
    return { text: this.lines[line] ?? "" };
  }

  insertAtStart(added: string[]): void {
    this.lines = [...added, ...this.lines];
    const start = { line: 0, character: 0 };
    documentChanged.fire({ document: this, contentChanges: [{ range: { start, end: start }, text: added.map((line) => `${line}\n`).join("") }] });
  }

  async save(): Promise<boolean> {
    this.insertAtStart(this.addedBySave);
    this.isDirty = false;
    return true;
  }
}

const documentChanged = new EventEmitter<unknown>();
const documentClosed = new EventEmitter<FakeDocument>();
let documents: FakeDocument[] = [];

/** Opens a document in the window, instead of an older one of the same file. */
export function openDocument(document: FakeDocument): FakeDocument {
  documents = [document, ...documents.filter((each) => each.uri.toString() !== document.uri.toString())];
  return document;
}

export function closeDocument(document: FakeDocument): void {
  documents = documents.filter((each) => each !== document);
  documentClosed.fire(document);
}

const configurationChanged = new EventEmitter<unknown>();
let configuration: Record<string, unknown> = {};

export function configure(values: Record<string, unknown>): void {
  configuration = values;
  configurationChanged.fire({ affectsConfiguration: (name: string) => name in values });
}

const filesChanged = new EventEmitter<void>();

const watchedDirectories = new Set<string>();

/** A file in a directory that the extension watches was changed on disk. */
export function changeWatchedFile(directory: string): void {
  if (watchedDirectories.has(directory)) {
    filesChanged.fire();
  }
}

const foldersChanged = new EventEmitter<void>();

export const workspace = {
  workspaceFolders: [] as { uri: ReturnType<typeof Uri.file>; name: string }[],
  onDidChangeWorkspaceFolders: foldersChanged.event,
  onDidChangeTextDocument: documentChanged.event,
  onDidCloseTextDocument: documentClosed.event,
  onDidSaveTextDocument: new EventEmitter<FakeDocument>().event,
  get textDocuments() {
    return documents;
  },
  openTextDocument: async (uri: unknown) => documents.find((each) => String(each.uri) === String(uri)),
  onDidChangeConfiguration: configurationChanged.event,
  getConfiguration: () => ({ get: (name: string) => configuration[name] }),
  createFileSystemWatcher: ({ base }: RelativePattern) => {
    const directory = (base as { path: string }).path;
    watchedDirectories.add(directory);
    const event = filesChanged.event;
    return { onDidCreate: event, onDidChange: event, onDidDelete: event, dispose: () => void watchedDirectories.delete(directory) };
  },
  fs: { readFile: async (uri: unknown) => Buffer.from(textOnDisk(String(uri))) },
  decode: async (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8"),
  asRelativePath: (uri: unknown) => String(uri),
};

function textOnDisk(uri: string): string {
  const document = documents.find((each) => each.uri.toString() === uri);
  return (document?.onDisk ?? document?.lines ?? []).join("\r\n");
}

/** Opens folders in the window. */
export function openFolders(...paths: string[]): void {
  workspace.workspaceFolders = paths.map((path) => ({ uri: Uri.file(path), name: path }));
  foldersChanged.fire();
}

/** What the user answers to the next questions. */
export const answers: Promise<string | undefined>[] = [];

/** The error messages that were shown. */
export const errors: string[] = [];

/** The questions and other messages that were shown, with their details. */
export const messages: string[] = [];

const registered = new Map<string, (...args: unknown[]) => unknown>();

export const commands = {
  registerCommand: (id: string, run: (...args: unknown[]) => unknown) => {
    registered.set(id, run);
    return { dispose: () => void registered.delete(id) };
  },
  executeCommand: async (id: string, ...args: unknown[]) => registered.get(id)?.(...args),
};

/** The lines that the user sees of every document; none if that is not known. */
let visibleRanges: Range[] = [];

/** Scrolls the editor of a document. */
export function scroll(document: FakeDocument, start: number, end: number): void {
  visibleRanges = [new Range(start, 0, end, 0)];
  visibleRangesChanged.fire({ textEditor: { document, visibleRanges } });
}

export class CancellationError extends Error {}
export class RelativePattern {
  constructor(
    readonly base: unknown,
    readonly pattern: string,
  ) {}
}

export const CommentMode = { Editing: 0, Preview: 1 };
export const CommentThreadCollapsibleState = { Collapsed: 0, Expanded: 1 };
export const CommentThreadState = { Unresolved: 0, Resolved: 1 };

export class MarkdownString {
  constructor(public value: string) {}
}

export class Range {
  readonly start: { line: number; character: number };
  readonly end: { line: number; character: number };

  constructor(startLine: number, startCharacter: number, endLine: number, endCharacter: number) {
    this.start = { line: startLine, character: startCharacter };
    this.end = { line: endLine, character: endCharacter };
  }
}

class FakeTreeView {
  visible = true;
  badge: unknown;
  onDidChangeVisibility = new EventEmitter<void>().event;
  onDidChangeCheckboxState = new EventEmitter<unknown>().event;
  dispose(): void {}
}

export const StatusBarAlignment = { Left: 1 };

const visibleChanged = new EventEmitter<void>();
const visibleRangesChanged = new EventEmitter<unknown>();

async function show(message: string, options: unknown): Promise<void> {
  const { detail } = (options ?? {}) as { detail?: string };
  messages.push(detail === undefined ? message : `${message}\n${detail}`);
}

export const window = {
  /** Every document has a visible editor. */
  get visibleTextEditors() {
    return documents.map((document) => ({ document, visibleRanges }));
  },
  activeTextEditor: undefined,
  onDidChangeTextEditorVisibleRanges: visibleRangesChanged.event,
  onDidChangeVisibleTextEditors: visibleChanged.event,
  createTreeView: () => new FakeTreeView(),
  showErrorMessage: async (message: string) => void errors.push(message),
  /** The user presses the first button, unless a test answers. */
  showWarningMessage: async (message: string, ...items: unknown[]) => {
    await show(message, items[0]);
    return answers.length > 0 ? answers.shift() : items.find((item) => typeof item === "string");
  },
  /** The user presses no button, unless a test answers. */
  showInformationMessage: async (message: string, ...items: unknown[]) => {
    await show(message, items[0]);
    return answers.shift();
  },
  /** The user picks all items. */
  showQuickPick: async (items: unknown[]) => items,
  createStatusBarItem: () => ({ show() {}, hide() {}, dispose() {} }),
};
