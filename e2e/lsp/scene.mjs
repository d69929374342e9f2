// A repository with review threads, and a PATH on which `skein` is the program under test.
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { SKEIN, Workspace } from "../lib/workspace.mjs";

const CODE = `fn main() {
    let port = read_port();
    listen("0.0.0.0", port);
    println!("listening on {port}");
}
`;

// A thread of the reviewer on the line `listen`, with a suggestion of an agent.
export async function scene() {
  const workspace = await Workspace.plain({ "src/main.rs": CODE });
  const bin = join(workspace.base, "bin");
  mkdirSync(bin);
  symlinkSync(SKEIN, join(bin, "skein"));
  workspace.env.PATH = `${bin}:${process.env.PATH}`;
  await workspace.skein("review", "add", "src/main.rs:3", "-m", "Not on all interfaces.");
  const [row] = (await workspace.threads()).threads;
  workspace.id = row.id;
  const reply = 'Local only:\n\n```suggestion\n    listen("127.0.0.1", port);\n```';
  workspace.suggest = () => workspace.agent("review", "reply", row.id, "-m", reply);
  return workspace;
}

// The comments of the thread, as the command line shows them.
export async function comments(workspace) {
  const thread = JSON.parse(await workspace.skein("review", "show", workspace.id, "--json"));
  return thread.comments.map((one) => one.body);
}

export async function status(workspace) {
  return JSON.parse(await workspace.skein("review", "show", workspace.id, "--json")).status;
}
