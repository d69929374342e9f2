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

const foldersChanged = new EventEmitter<void>();

export const workspace = {
  workspaceFolders: [] as { uri: ReturnType<typeof Uri.file>; name: string }[],
  onDidChangeWorkspaceFolders: foldersChanged.event,
};

/** Opens folders in the window. */
export function openFolders(...paths: string[]): void {
  workspace.workspaceFolders = paths.map((path) => ({ uri: Uri.file(path), name: path }));
  foldersChanged.fire();
}

class FakeTreeView {
  visible = true;
  badge: unknown;
  onDidChangeVisibility = new EventEmitter<void>().event;
  onDidChangeCheckboxState = new EventEmitter<unknown>().event;
  dispose(): void {}
}

export const StatusBarAlignment = { Left: 1 };

export const window = {
  createTreeView: () => new FakeTreeView(),
  createStatusBarItem: () => ({ show() {}, hide() {}, dispose() {} }),
};
