// The commands on work: hand over, show and copy the brief, open the files of a checkpoint.
import * as vscode from "vscode";
import { showError } from "./messages";
import { chooseRoot } from "./review_commands";
import type { Root, Roots } from "./roots";
import { BRIEF_SCHEME } from "./virtual_uri";
import type { TreeNode } from "./views/node";
import { Work } from "./work";

const MAX_STEPS = 20;

export class WorkCommands implements vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly roots: Roots) {}

  register(): vscode.Disposable[] {
    const commands: [string, (node?: TreeNode) => Promise<void>][] = [
      ["skein.handOver", (node) => this.handOver(node)],
      ["skein.showBrief", (node) => this.showBrief(node)],
      ["skein.copyBrief", (node) => this.copyBrief(node)],
      ["skein.openFile", (node) => this.openFile(node)],
      ["skein.openThreadFile", (node) => openThreadFile(node)],
    ];
    const registered = commands.map(([id, run]) =>
      vscode.commands.registerCommand(id, async (node?: TreeNode) => {
        try {
          await run(node);
        } catch (error) {
          showError(error);
        }
      }),
    );
    return [...registered, this.changed, vscode.workspace.registerTextDocumentContentProvider(BRIEF_SCHEME, this)];
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const fields = new URLSearchParams(uri.query);
    const root = this.roots.get(fields.get("root") ?? "");
    return root === undefined ? "" : new Work(root.cli).brief(fields.get("id") ?? undefined);
  }

  private async handOver(node?: TreeNode): Promise<void> {
    const root = await chooseRoot(this.roots, node);
    if (root === undefined) {
      return;
    }
    const message = await vscode.window.showInputBox({
      title: "Hand over the work",
      prompt: "What should the successor know first?",
    });
    if (message === undefined || message.trim() === "") {
      return;
    }
    const steps = await askForSteps();
    if (steps === undefined) {
      return;
    }
    await new Work(root.cli).handOver(message, steps);
    void vscode.window.showInformationMessage("Handed over. The next session continues with skein resume.");
  }

  private async showBrief(node?: TreeNode): Promise<void> {
    const root = await chooseRoot(this.roots, node);
    if (root === undefined) {
      return;
    }
    const uri = briefAddress(root, node?.checkpointId);
    this.changed.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  private async copyBrief(node?: TreeNode): Promise<void> {
    const root = await chooseRoot(this.roots, node);
    if (root !== undefined) {
      await vscode.env.clipboard.writeText(await new Work(root.cli).brief(node?.checkpointId));
      vscode.window.setStatusBarMessage("Copied the brief", 3000);
    }
  }

  private async openFile(node?: TreeNode): Promise<void> {
    const root = node?.root === undefined ? undefined : this.roots.get(node.root);
    if (root !== undefined && node?.path !== undefined) {
      await vscode.window.showTextDocument(root.uri(node.path));
    }
  }
}

/** Opens the file that contains a thread, at the problem that prevents it from being read. */
async function openThreadFile(node?: TreeNode): Promise<void> {
  if (node?.path !== undefined) {
    const line = node.line ?? 0;
    await vscode.window.showTextDocument(vscode.Uri.file(node.path), { selection: new vscode.Range(line, 0, line, 0) });
  }
}

/** Asks for one step after the other until an empty one; undefined if the user gives up. */
async function askForSteps(): Promise<string[] | undefined> {
  const steps: string[] = [];
  while (steps.length < MAX_STEPS) {
    const step = await vscode.window.showInputBox({
      title: "Hand over the work",
      prompt: `Next step ${steps.length + 1}; leave it empty to finish`,
    });
    if (step === undefined) {
      return undefined;
    }
    if (step.trim() === "") {
      break;
    }
    steps.push(step.trim());
  }
  return steps;
}

function briefAddress(root: Root, id: string | undefined): vscode.Uri {
  const query = new URLSearchParams({ root: root.path, ...(id === undefined ? {} : { id }) });
  return vscode.Uri.from({ scheme: BRIEF_SCHEME, path: `/${id ?? "Brief"}.md`, query: query.toString() });
}
