// The processes of this machine, as Linux lists them.
import { readdirSync, readFileSync } from "node:fs";

// `matches` gets the arguments of a process. Returns the id, the arguments and the ids of all parents.
export function findProcesses(matches) {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.map(Number).flatMap((pid) => {
    const args = read(`/proc/${pid}/cmdline`).split("\0");
    return matches(args) ? [{ pid, args, parents: parents(pid) }] : [];
  });
}

function parents(pid) {
  // The name of the program, in parentheses, may contain anything.
  const parent = Number(read(`/proc/${pid}/stat`).replace(/^.*\)/s, "").split(" ")[2]);
  return parent > 1 ? [parent, ...parents(parent)] : [];
}

// A process that has ended has no text.
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
