// Applies a suggested change: shows it in a diff editor, and writes exactly what was shown.
import * as vscode from "vscode";
import { messageOf, showError } from "../messages";
import { parsePlace } from "../paths";
import type { Root, Roots } from "../roots";
import { PREVIEW_SCHEME } from "../virtual_uri";
import { closeTabs } from "./close_tabs";
import type { ThreadController } from "./controller";
import { offersChange } from "./fields";
import { replaceLines } from "./lines";
import { findTarget } from "./target";

/** Previews of tabs that were closed are kept too: their message may still be open. */
const MAX_PREVIEWS = 20;

interface Preview {
  root: Root;
  id: string;
  token: string;
  text: string;
}

export class Suggestions implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly previews = new Map<string, Preview>();
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly roots: Roots,
    private readonly controller: ThreadController,
  ) {
    this.disposables = [
      vscode.workspace.registerTextDocumentContentProvider(PREVIEW_SCHEME, this),
      vscode.commands.registerCommand("skein.applySuggestion", (thread: unknown) => this.preview(thread)),
      vscode.commands.registerCommand("skein.applyPreviewed", (uri?: vscode.Uri) => this.applyPreviewed(uri, false)),
      vscode.commands.registerCommand("skein.applyAndResolve", (uri?: vscode.Uri) => this.applyPreviewed(uri, true)),
    ];
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.previews.get(uri.toString())?.text ?? "This preview is closed. Open it again from the thread.";
  }

  /** Shows what the suggestion of a thread would change. Nothing is written. */
  async preview(argument: unknown): Promise<void> {
    const target = await findTarget(argument, this.roots, this.controller, offersChange);
    if (target === undefined) {
      return;
    }
    const { root, id } = target;
    try {
      const applied = await root.reviews.preview(id);
      const { path, lines } = parsePlace(applied.at);
      if (applied.outcome === "there already" || lines === undefined || applied.token === undefined) {
        void vscode.window.showInformationMessage(`The suggestion is already in ${applied.at}.`);
        return;
      }
      const file = root.uri(path);
      const bytes = await vscode.workspace.fs.readFile(file);
      const text = replaceLines(new TextDecoder().decode(bytes), lines, applied.added);
      const uri = vscode.Uri.from({ scheme: PREVIEW_SCHEME, path: `/${path}`, query: applied.token });
      this.keep(uri, { root, id, token: applied.token, text });
      await vscode.commands.executeCommand("vscode.diff", file, uri, `Suggestion for ${applied.at}`, {
        selection: new vscode.Range(lines.start, 0, lines.start, 0),
      });
      void this.offerToApply(uri, applied.at);
    } catch (error) {
      showError(error);
    }
  }

  private keep(uri: vscode.Uri, preview: Preview): void {
    this.previews.delete(uri.toString());
    this.previews.set(uri.toString(), preview);
    const [oldest] = this.previews.keys();
    if (this.previews.size > MAX_PREVIEWS && oldest !== undefined) {
      this.previews.delete(oldest);
    }
  }

  private async offerToApply(uri: vscode.Uri, at: string): Promise<void> {
    const apply = "Apply";
    const resolve = "Apply and Resolve";
    const answer = await vscode.window.showInformationMessage(`Apply the suggestion to ${at}?`, apply, resolve);
    if (answer !== undefined) {
      await this.applyPreviewed(uri, answer === resolve);
    }
  }

  private async applyPreviewed(uri: vscode.Uri | undefined, resolve: boolean): Promise<void> {
    const shown = uri ?? vscode.window.activeTextEditor?.document.uri;
    const preview = shown && this.previews.get(shown.toString());
    if (shown === undefined || preview === undefined) {
      void vscode.window.showInformationMessage("Skein: This preview is closed. Open it again from the thread.");
      return;
    }
    const { root, id, token } = preview;
    try {
      requireClean(root.uri(shown.path.slice(1)));
      await root.reviews.apply(id, token, resolve);
    } catch (error) {
      showError(new Error(`The suggestion was not applied. ${messageOf(error)}`));
      return;
    }
    this.previews.delete(shown.toString());
    void this.controller.refreshThread(root, id);
    await closeTabs(shown);
  }
}

/** A document with unsaved changes would overwrite the applied suggestion when it is saved. */
function requireClean(uri: vscode.Uri): void {
  const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
  if (document?.isDirty === true) {
    throw new Error(`${vscode.workspace.asRelativePath(uri)} has changes that are not saved. Save it first.`);
  }
}
