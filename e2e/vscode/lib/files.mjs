// Files for folders of tests, and what is in them.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

// A file whose lines all differ, so that every line is found again after changes.
export function source(name, count = 40) {
  return Array.from({ length: count }, (_, index) => `let ${name}_${index + 1} = compute("${name}", ${index + 1});\n`).join("");
}

// The bytes of all files below a directory, by path. Git's own files are left out: VS Code asks git for its status.
export function contents(dir) {
  const paths = readdirSync(dir, { recursive: true }).filter((path) => !/^\.git(\/|$)/.test(path) || /skein/.test(path));
  const files = paths.filter((path) => statSync(join(dir, path)).isFile()).sort();
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(dir, path), "latin1")]));
}
