// A folder with very many threads.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { SKEIN } from "../../lib/workspace.mjs";
import { source } from "./files.mjs";

export const FILES = 50;
const LINES = 120;

export const name = (index) => `part${index}`;

export function manyFiles() {
  const paths = Array.from({ length: FILES }, (_, index) => [`src/${name(index)}.rs`, source(name(index), LINES)]);
  return Object.fromEntries([...paths, ["src/without.rs", source("without", LINES)]]);
}

// Adds threads to the files in turn, one on each line, with one command.
export async function addMany(workspace, count, only) {
  const comments = Array.from({ length: count }, (_, index) => {
    const file = only ?? name(index % FILES);
    const line = (only ? index : Math.floor(index / FILES)) + 1;
    return { file: `src/${file}.rs`, line, body: `Comment ${index} on ${file}.` };
  });
  const child = spawn(SKEIN, ["review", "add", "--from", "-"], { cwd: workspace.dir, env: workspace.env, stdio: ["pipe", "ignore", "ignore"] });
  child.stdin.end(JSON.stringify(comments));
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the threads were not added: ${code}`);
}
