// Paths as they are shown where there is little space; pure.

/** Returns for each path its last part, and as many of the parts before as distinguish it from the other paths. */
export function shortPaths(paths: Iterable<string>): Map<string, string> {
  const all = [...new Set(paths)];
  return new Map(all.map((path) => [path, shortPath(path, all)]));
}

function shortPath(path: string, all: string[]): string {
  const parts = path.split("/");
  for (let count = 1; count < parts.length; count += 1) {
    const end = parts.slice(-count).join("/");
    const isTaken = all.some((other) => other !== path && (other === end || other.endsWith(`/${end}`)));
    if (!isTaken) {
      return end;
    }
  }
  return path;
}
