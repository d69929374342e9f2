// Files in memory that can be edited, for texts that are not stored yet.
import * as vscode from "vscode";

interface MemoryFile {
  bytes: Uint8Array;
  time: number;
}

export class MemoryFiles implements vscode.FileSystemProvider {
  private readonly files = new Map<string, MemoryFile>();
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;

  set(uri: vscode.Uri, text: string): void {
    this.writeFile(uri, new TextEncoder().encode(text));
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, time } = this.get(uri);
    return { type: vscode.FileType.File, ctime: time, mtime: time, size: bytes.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.get(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    this.files.set(uri.toString(), { bytes, time: Date.now() });
    this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  private get(uri: vscode.Uri): MemoryFile {
    const file = this.files.get(uri.toString());
    if (file === undefined) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return file;
  }
}
