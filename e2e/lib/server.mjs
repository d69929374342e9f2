// A server of a workspace: the real program, in a process of its own.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { SKEIN } from "./workspace.mjs";

const run = promisify(execFile);
const PATIENCE = 15_000;
const running = new Set();

process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export class Server {
  constructor(workspace, args) {
    this.workspace = workspace;
    this.args = args;
  }

  static async start(workspace, ...args) {
    const server = new Server(workspace, args);
    await server.start();
    return server;
  }

  // The port is the workspace's own, so that a server that starts again has the same address.
  async start() {
    const { dir, env } = this.workspace;
    const child = spawn(SKEIN, ["serve", "--no-open", ...this.args], { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] });
    running.add(child);
    child.once("exit", () => running.delete(child));
    this.child = child;
    this.said = "";
    this.address = await new Promise((done, fail) => {
      const late = setTimeout(() => fail(new Error(`the server does not start: ${this.said}`)), PATIENCE);
      const hear = (bytes) => {
        this.said += bytes;
        const address = this.said.match(/http:\/\/\S+/);
        if (!address) return;
        clearTimeout(late);
        done(address[0]);
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.once("exit", (code) => {
        clearTimeout(late);
        fail(new Error(`the server ended with ${code}: ${this.said}`));
      });
    });
    this.origin = new URL(this.address).origin;
  }

  // An address lets one browser in; for another one the program is asked again, as its user would.
  async entry() {
    const { dir, env } = this.workspace;
    const { stdout } = await run(SKEIN, ["serve", "--no-open", "--json", ...this.args], { cwd: dir, env });
    return JSON.parse(stdout).address;
  }

  // Ends it as Ctrl-C does, and says how it ended.
  async stop() {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = once(child, "exit");
    const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
    child.kill("SIGINT");
    await ended;
    clearTimeout(late);
    return child.exitCode;
  }
}
