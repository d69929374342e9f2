// Threads in the shapes that the extension Local Code Review exports; pure.
import type { ReviewView } from "../documents";
import { isDraft, isResolved } from "../threads/fields";

export interface PersistedRange {
  startLine: number;
  startCharacter: number;
  endLine: number;
  endCharacter: number;
}

export interface PersistedThread {
  schemaVersion: 1;
  id: string;
  target: {
    workspaceRelativePath: string;
    range: PersistedRange | null;
    anchor: {
      kind: "lineRange";
      context?: { before: string[]; selection: string; after: string[] };
      git?: { baseRef?: string; hunkPatch?: string };
    };
  };
  status: "open" | "resolved";
  comments: { id: string; author: string; bodyMarkdown: string; createdAt: string }[];
  createdAt: string;
  updatedAt: string;
}

/** Returns undefined for drafts, which are not in the store, and for files that cannot be read. */
export function toPersisted(view: ReviewView): PersistedThread | undefined {
  if (!view.usable || isDraft(view) || view.target === null) {
    return undefined;
  }
  const { path, range } = view.target;
  const git = {
    ...(view.base_commit === null ? {} : { baseRef: view.base_commit }),
    ...(view.patch === null ? {} : { hunkPatch: view.patch }),
  };
  return {
    schemaVersion: 1,
    id: view.id,
    target: {
      workspaceRelativePath: path,
      range: range && {
        startLine: range.start_line,
        startCharacter: range.start_character,
        endLine: range.end_line,
        endCharacter: range.end_character,
      },
      anchor: {
        kind: "lineRange",
        ...(view.selection === null ? {} : { context: { before: [], selection: view.selection, after: [] } }),
        ...(Object.keys(git).length === 0 ? {} : { git }),
      },
    },
    status: isResolved(view) ? "resolved" : "open",
    comments: view.comments.map((comment) => ({
      id: comment.id,
      author: comment.author,
      bodyMarkdown: comment.body,
      createdAt: comment.created_at ?? "",
    })),
    createdAt: view.created_at ?? "",
    updatedAt: view.updated_at ?? view.created_at ?? "",
  };
}

export interface ChangedFile {
  workspaceFolder: string;
  file: string;
  staged: boolean;
  unstaged: boolean;
  untracked: boolean;
}

/** The lists of changes that the git extension of VS Code has for one repository, as paths relative to a folder. */
export interface ChangeLists {
  staged: string[];
  unstaged: string[];
  untracked: string[];
}

export function toChangedFiles(workspaceFolder: string, lists: ChangeLists): ChangedFile[] {
  const files = [...new Set([...lists.staged, ...lists.unstaged, ...lists.untracked])].sort();
  return files.map((file) => ({
    workspaceFolder,
    file,
    staged: lists.staged.includes(file),
    unstaged: lists.unstaged.includes(file),
    untracked: lists.untracked.includes(file),
  }));
}
