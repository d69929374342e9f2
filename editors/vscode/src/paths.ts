// Locations as Skein writes them, and where a root is in the editor.
import { dirname, isAbsolute, join, relative, sep } from "node:path";

export interface Place {
  path: string;
  /** Counted from 0; absent for a whole file. */
  lines?: { start: number; end: number };
}

/** Parses `src/a.rs:12-14`, whose lines count from 1. */
export function parsePlace(text: string): Place {
  const match = /^(.*?):(\d+)(?:-(\d+))?$/s.exec(text);
  if (match === null) {
    return { path: text };
  }
  const [, path = "", first = "", last = first] = match;
  return { path, lines: { start: Number(first) - 1, end: Number(last) - 1 } };
}

/** Returns `src/a.rs:12-14`, with lines counted from 1. */
export function formatPlace(path: string, start: number, end: number): string {
  return start === end ? `${path}:${start + 1}` : `${path}:${start + 1}-${end + 1}`;
}

/**
 * Returns the path by which the editor knows the root.
 *
 * Skein resolves symbolic links, and the root may be above the folder that is open. The editor knows a file only by the
 * path of its folder.
 */
export function editorRoot(folder: string, realFolder: string, root: string): string {
  const below = relative(root, realFolder);
  if (below === "") {
    return folder;
  }
  if (below.startsWith("..") || isAbsolute(below) || !folder.endsWith(sep + below)) {
    return root;
  }
  return below.split(sep).reduce((path) => dirname(path), folder);
}

/** Returns the path relative to the root with `/` between its parts; undefined if the file is not below the root. */
export function relativePath(root: string, file: string): string | undefined {
  const path = relative(root, file);
  if (path === "" || path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path)) {
    return undefined;
  }
  return path.split(sep).join("/");
}

export function absolutePath(root: string, path: string): string {
  return join(root, ...path.split("/"));
}
