// Finds the program before anything else runs: only in a trusted workspace, and with one message if it cannot be used.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { type Binary, explain, findBinary } from "./binary";
import type { Log } from "./cli";
import type { Both } from "./original/both";

/** Values of the context key `skein.state`, which the texts of the empty views depend on. */
type State = "untrusted" | "both" | "starting" | "ready" | "unusable";

/** What a folder contains in which Skein has been used. */
const STORES = [".code-review", "workspace/threads", ".skein.toml"];
const INSTALL = "How to Install";
const CHOOSE = "Choose Program…";
const RETRY = "Try Again";

export class Setup implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[] = [];
  private readonly found = new vscode.EventEmitter<string | undefined>();
  /** How often the search has begun: only the newest one counts. */
  private starts = 0;
  /** The program to use; undefined if there is none. */
  readonly onDidFind = this.found.event;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly both: Both,
    private readonly log: Log,
  ) {
    this.disposables.push(
      this.found,
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.start()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("skein.path")) {
          void this.start({ asked: true });
        }
      }),
      vscode.commands.registerCommand("skein.choosePath", () => this.choose()),
      vscode.commands.registerCommand("skein.retry", () => this.start({ asked: true })),
      vscode.commands.registerCommand("skein.decideBoth", () => this.start()),
      vscode.commands.registerCommand("skein.howToInstall", () => this.showInstallation()),
    );
  }

  dispose(): void {
    this.starts += 1;
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  /** Looks for the program. If there is none, says so where threads would be missed, or if the user has asked for it. */
  async start({ asked = false } = {}): Promise<void> {
    this.starts += 1;
    const number = this.starts;
    if (!vscode.workspace.isTrusted) {
      // Git may run programs that the configuration of a repository names.
      setState("untrusted");
      return;
    }
    if (!this.both.isAllowed()) {
      setState("both");
      if (!(await this.both.ask()) || number !== this.starts) {
        return;
      }
    }
    setState("starting");
    const binary = await findBinary({
      setting: vscode.workspace.getConfiguration("skein").get<string>("path", "").trim(),
      path: process.env["PATH"] ?? "",
      home: homedir(),
      bundled: vscode.Uri.joinPath(this.extension, "bin", "skein").fsPath,
      platform: process.platform,
    });
    if (number !== this.starts) {
      return;
    }
    if (binary.kind === "ready") {
      this.log(`Uses ${binary.program}, version ${binary.version}`);
      setState("ready");
      this.found.fire(binary.program);
      return;
    }
    this.log(explain(binary));
    setState("unusable");
    this.found.fire(undefined);
    if (asked || hasStore()) {
      await this.explain(binary);
    }
  }

  private async explain(binary: Exclude<Binary, { kind: "ready" }>): Promise<void> {
    const buttons = binary.kind === "unsupported" ? [] : [INSTALL, CHOOSE, RETRY];
    const answer = await vscode.window.showErrorMessage(explain(binary), ...buttons);
    if (answer === INSTALL) {
      await this.showInstallation();
    } else if (answer === CHOOSE) {
      await this.choose();
    } else if (answer === RETRY) {
      await this.start({ asked: true });
    }
  }

  private async choose(): Promise<void> {
    const [file] = (await vscode.window.showOpenDialog({ title: "Choose the program skein", openLabel: "Use" })) ?? [];
    if (file !== undefined) {
      // The change of the setting starts the search again.
      await vscode.workspace.getConfiguration("skein").update("path", file.fsPath, vscode.ConfigurationTarget.Global);
    }
  }

  private async showInstallation(): Promise<void> {
    await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.joinPath(this.extension, "media", "install.md"));
  }
}

function setState(state: State): void {
  void vscode.commands.executeCommand("setContext", "skein.state", state);
}

function hasStore(): boolean {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.some((folder) => STORES.some((store) => existsSync(join(folder.uri.fsPath, store))));
}
