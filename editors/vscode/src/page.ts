// Opens the page of `skein serve` in the browser. The server runs until the window is closed.
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import type { Log } from "./cli";
import { spawnGuarded } from "./guard";
import { showError } from "./messages";
import { chooseRoot } from "./review_commands";
import type { Root, Roots } from "./roots";

const START_TIMEOUT = 20_000;

export class Page implements vscode.Disposable {
  private readonly servers = new Set<ChildProcess>();
  private readonly command: vscode.Disposable;

  constructor(
    private readonly roots: Roots,
    private readonly log: Log,
  ) {
    this.command = vscode.commands.registerCommand("skein.openPage", (argument?: unknown) => this.open(argument));
  }

  dispose(): void {
    this.command.dispose();
    for (const server of this.servers) {
      server.stdin?.end();
    }
  }

  private async open(argument?: unknown): Promise<void> {
    const root = await chooseRoot(this.roots, argument);
    if (root === undefined) {
      return;
    }
    try {
      await openPage(vscode.Uri.parse(await this.serve(root)));
    } catch (error) {
      showError(error);
    }
  }

  /** Returns an address that admits one browser. A program that serves this root already only prints it and ends. */
  private serve(root: Root): Promise<string> {
    return new Promise((resolve, reject) => {
      const server = spawnGuarded(root.cli.program, ["-C", root.path, "serve", "--no-open", "--json"]);
      this.servers.add(server);
      const timer = setTimeout(() => {
        server.stdin?.end();
        reject(new Error("The page did not start in time."));
      }, START_TIMEOUT);
      let errors = "";
      server.stderr?.on("data", (chunk: Buffer) => {
        errors += chunk.toString("utf8");
        this.log(`serve: ${chunk.toString("utf8").trimEnd()}`);
      });
      if (server.stdout !== null) {
        createInterface({ input: server.stdout }).once("line", (line) => {
          clearTimeout(timer);
          const { address } = JSON.parse(line) as { address?: string };
          return address === undefined ? reject(new Error("The page has no address.")) : resolve(address);
        });
      }
      server.on("exit", () => {
        clearTimeout(timer);
        this.servers.delete(server);
        reject(new Error(errors.trim() === "" ? "The page did not start." : errors.trim()));
      });
    });
  }
}

/** Opens an address of this machine. The server answers under no other host and port, which protects it from other pages. */
async function openPage(address: vscode.Uri): Promise<void> {
  const external = await vscode.env.asExternalUri(address);
  const isLocal = external.authority.replace(/^localhost:/, "127.0.0.1:") === address.authority;
  if (isLocal && external.path === address.path) {
    await vscode.env.openExternal(external);
    return;
  }
  const copy = "Copy Address";
  const message = `The page can only be opened as ${address.scheme}://${address.authority}, which is on the machine of the folder. Forward this port to your machine under the same number, for example with ssh -L, and open the address.`;
  if ((await vscode.window.showWarningMessage(message, copy)) === copy) {
    await vscode.env.clipboard.writeText(address.toString(true));
  }
}
