// Starts a program that must not outlive this process, even if this process crashes: a small process in between ends it
// when the pipe to this one is closed.
import { type ChildProcess, spawn } from "node:child_process";
import { withoutAgents } from "./process";

const GUARD = `
const { spawn } = require("node:child_process");
const [program, ...args] = process.argv.slice(1);
const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
child.on("error", () => process.exit(2));
child.on("exit", (code) => process.exit(code === null ? 1 : code));
process.stdin.on("end", () => child.kill()).resume();
`;

/** Starts the program; ending its stdin ends it. */
export function spawnGuarded(program: string, args: string[]): ChildProcess {
  return spawn(process.execPath, ["-e", GUARD, program, ...args], {
    // In a desktop VS Code this program is Electron; the variable makes it run as Node.js.
    env: { ...withoutAgents(process.env), ELECTRON_RUN_AS_NODE: "1" },
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
}
