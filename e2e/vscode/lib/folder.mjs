// The folder that several groups of tests fill, one after the other, while its window stays open: to open a window costs
// as much as ten tests.
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Workspace } from "../../lib/workspace.mjs";
import { findProcesses } from "./processes.mjs";
import { adopt } from "./setup.mjs";
import { until } from "./until.mjs";

const RESTART = "Skein: Look for the Program Again";

// Makes an empty folder that uses the home directory of the server.
export async function makeFolder(server) {
  return adopt(await Workspace.plain(), server);
}

// Replaces everything in the folder, and what Skein has stored about it elsewhere.
export async function fill(folder, make) {
  const model = await make();
  try {
    // Git of VS Code may write meanwhile.
    const options = { recursive: true, force: true, maxRetries: 10 };
    for (const name of readdirSync(folder.dir)) rmSync(join(folder.dir, name), options);
    for (const name of ["XDG_STATE_HOME", "XDG_CACHE_HOME"]) rmSync(join(folder.env[name], "skein"), options);
    cpSync(model.dir, folder.dir, { recursive: true });
  } finally {
    model.dispose();
  }
}

const watches = (folder) => findProcesses((args) => args[2] === folder.dir && args.includes("watch")).map(({ pid }) => pid);

// Lets the extension start anew, as if the folder had just been opened.
export async function restart(folder, code) {
  await until(() => watches(folder).length === 1, "the extension has started");
  const before = watches(folder);
  await code.command(RESTART);
  await until(() => {
    const now = watches(folder);
    return now.length === 1 && !before.includes(now[0]);
  }, "the extension has started again");
}
