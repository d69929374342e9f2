// What other extensions can call: the functions of the extension Local Code Review, with the same results.
import { execFileSync } from "node:child_process";
import * as vscode from "vscode";
import { asReview, asReviews, type ReviewView } from "../documents";
import { relativePath } from "../paths";
import { withoutAgents } from "../process";
import type { Root, Roots } from "../roots";
import { type ChangedFile, type PersistedThread, toChangedFiles, toPersisted } from "./shapes";

const CALL_TIMEOUT = 20_000;
const MAX_OUTPUT = 256 * 1024 * 1024;

export interface Exports {
  listThreads(): PersistedThread[];
  getThread(id: string): PersistedThread | undefined;
  listChangedFiles(): ChangedFile[];
}

/** The part of the git extension of VS Code that is used here. */
interface GitChange {
  uri: vscode.Uri;
}
interface GitRepository {
  state: { indexChanges: GitChange[]; workingTreeChanges: GitChange[]; untrackedChanges?: GitChange[] };
}
interface GitExtension {
  getAPI(version: 1): { repositories: GitRepository[] };
}

/** `roots` returns undefined while the program is not running. */
export function makeExports(roots: () => Roots | undefined): Exports {
  const all = () => roots()?.all ?? [];
  return {
    // These functions return their results directly, so the program is called directly too.
    listThreads: () => all().flatMap((root) => persisted(callList(root))),
    getThread: (id) => {
      for (const root of all()) {
        const [thread] = persisted(callShow(root, id));
        if (thread?.id === id) {
          return thread;
        }
      }
      return undefined;
    },
    listChangedFiles: () => (vscode.workspace.workspaceFolders ?? []).flatMap(changedFiles),
  };
}

function persisted(views: ReviewView[]): PersistedThread[] {
  return views.flatMap((view) => toPersisted(view) ?? []);
}

function callList(root: Root): ReviewView[] {
  return asReviews(call(root, ["review", "list", "--full"]));
}

function callShow(root: Root, id: string): ReviewView[] {
  try {
    return [asReview(call(root, ["review", "show", id]))];
  } catch {
    return [];
  }
}

function call(root: Root, args: string[]): unknown {
  const output = execFileSync(root.cli.program, ["-C", root.path, ...args, "--json"], {
    env: withoutAgents(process.env),
    encoding: "utf8",
    timeout: CALL_TIMEOUT,
    maxBuffer: MAX_OUTPUT,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return JSON.parse(output) as unknown;
}

function changedFiles(folder: vscode.WorkspaceFolder): ChangedFile[] {
  const git = vscode.extensions.getExtension<GitExtension>("vscode.git");
  const repositories = git?.isActive === true ? git.exports.getAPI(1).repositories : [];
  const below = (changes: GitChange[]) =>
    changes.flatMap((change) => relativePath(folder.uri.fsPath, change.uri.fsPath) ?? []);
  const states = repositories.map((repository) => repository.state);
  return toChangedFiles(folder.name, {
    staged: states.flatMap((state) => below(state.indexChanges)),
    unstaged: states.flatMap((state) => below(state.workingTreeChanges)),
    untracked: states.flatMap((state) => below(state.untrackedChanges ?? [])),
  });
}
