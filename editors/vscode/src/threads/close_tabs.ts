// Closes diff editors.
import * as vscode from "vscode";

/** Closes the diff editors with this document on the right. */
export async function closeTabs(uri: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter((tab) => tab.input instanceof vscode.TabInputTextDiff && tab.input.modified.toString() === uri.toString());
  await vscode.window.tabGroups.close(tabs);
}
