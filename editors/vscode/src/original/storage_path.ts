// The setting `localCodeReview.storagePath` in the user's own settings, which only the editor knows: the command line
// and agents use another store.
import * as vscode from "vscode";
import { showError } from "../messages";
import type { Root, Roots } from "../roots";

const SETTING = "localCodeReview.storagePath";
const KEY = "review.storage_path";
const DECLINED = "declinedStoragePath";
const DO_NOT_ASK = "Do Not Ask Again";

/** Offers to use the directory of the user's settings in each repository that has threads there. */
export async function offerStoragePath(roots: Roots, memory: vscode.Memento): Promise<void> {
  for (const root of roots.all) {
    try {
      await offer(root, memory);
    } catch (error) {
      showError(error);
    }
  }
}

async function offer(root: Root, memory: vscode.Memento): Promise<void> {
  const values = vscode.workspace.getConfiguration(undefined, root.uri("")).inspect(SETTING);
  const path = values?.globalValue;
  const isDecided = values?.workspaceValue !== undefined || values?.workspaceFolderValue !== undefined;
  if (typeof path !== "string" || isDecided || memory.get(DECLINED) === path || !(await hasStore(root, path))) {
    return;
  }
  const { value } = (await root.cli.read(["config", "get", KEY], { allowNo: true })) as { value: unknown };
  if (value !== null || (await root.reviews.listAll()).length > 0) {
    return;
  }
  const use = `Use "${path}" in This Repository`;
  const message = `Your setting ${SETTING} is "${path}". The command line and agents do not know it, so that the threads there are not shown. A setting in .skein.toml changes that.`;
  const answer = await vscode.window.showWarningMessage(message, use, DO_NOT_ASK);
  if (answer === use) {
    await root.cli.write(["config", "set", "--repository", KEY, path]);
    await vscode.commands.executeCommand("skein.refresh");
  } else if (answer === DO_NOT_ASK) {
    await memory.update(DECLINED, path);
  }
}

async function hasStore(root: Root, path: string): Promise<boolean> {
  const threads = vscode.workspace.fs.readDirectory(vscode.Uri.joinPath(root.uri(""), path, "threads"));
  return threads.then(
    (entries) => entries.some(([name]) => name.endsWith(".md")),
    () => false,
  );
}
