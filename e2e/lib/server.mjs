// A server of a workspace: the real program, in its own process.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { SKEIN } from "./workspace.mjs";

const run = promisify(execFile);
const TIMEOUT = 60_000;
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

  // The port depends on the workspace, so a restarted server has the same address.
  async start() {
    const { dir, env } = this.workspace;
    const child = spawn(SKEIN, ["serve", "--no-open", ...this.args], { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] });
    running.add(child);
    child.once("exit", () => running.delete(child));
    this.child = child;
    this.output = "";
    this.address = await new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`the server does not start: ${this.output}`)), TIMEOUT);
      const read = (bytes) => {
        this.output += bytes;
        const address = this.output.match(/http:\/\/\S+/);
        if (!address) return;
        clearTimeout(timer);
        done(address[0]);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("exit", (code) => {
        clearTimeout(timer);
        fail(new Error(`the server exited with ${code}: ${this.output}`));
      });
    });
    this.origin = new URL(this.address).origin;
  }

  // An address works in one browser only; another run of the program prints a new one.
  async entry() {
    const { dir, env } = this.workspace;
    const { stdout } = await run(SKEIN, ["serve", "--no-open", "--json", ...this.args], { cwd: dir, env });
    return JSON.parse(stdout).address;
  }

  // Stops the server as Ctrl-C does, and returns the exit code.
  async stop() {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exited = once(child, "exit");
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT);
    child.kill("SIGINT");
    await exited;
    clearTimeout(timer);
    return child.exitCode;
  }
}
