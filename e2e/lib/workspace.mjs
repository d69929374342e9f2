// A workspace for one test, with its own home directory and settings.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export const SKEIN = process.env.SKEIN_BIN;
export const REVIEWER = "Mira Okafor";
export const AGENT = "Claude Code";

// The demo is written once for each process, and copied for each test.
let model = null;

export class Workspace {
  constructor() {
    this.base = mkdtempSync(join(tmpdir(), "skein-e2e-"));
    this.dir = join(this.base, "lantern");
    const home = join(this.base, "home");
    mkdirSync(home);
    // Without the settings of the machine, and without variables that would mark the reviewer as an agent.
    this.env = {
      PATH: process.env.PATH,
      HOME: home,
      XDG_CONFIG_HOME: join(home, ".config"),
      XDG_STATE_HOME: join(home, ".local/state"),
      XDG_CACHE_HOME: join(home, ".cache"),
      XDG_DATA_HOME: join(home, ".local/share"),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: REVIEWER,
      GIT_AUTHOR_EMAIL: "mira@example.com",
      GIT_COMMITTER_NAME: REVIEWER,
      GIT_COMMITTER_EMAIL: "mira@example.com",
      LANG: "C.UTF-8",
      SKEIN_AUTHOR: REVIEWER,
    };
  }

  static async demo() {
    if (!model) {
      model = new Workspace();
      await run(SKEIN, ["demo", model.dir], { env: model.env });
      process.on("exit", () => model.dispose());
    }
    const workspace = new Workspace();
    // A copied thread without its time would look as if another program were writing it, and a reply would wait for that.
    cpSync(model.dir, workspace.dir, { recursive: true, preserveTimestamps: true });
    return workspace;
  }

  // A small repository with one commit, for cases that the demo does not have.
  static async plain(files = { "README.md": "# Plain\n" }) {
    const workspace = new Workspace();
    mkdirSync(workspace.dir);
    for (const [path, text] of Object.entries(files)) workspace.write(path, text);
    await workspace.git("init", "--quiet", "--initial-branch=main");
    await workspace.commit("start");
    return workspace;
  }

  async skein(...args) {
    return (await run(SKEIN, args, { cwd: this.dir, env: this.env })).stdout;
  }

  async agent(...args) {
    const env = { ...this.env, SKEIN_AUTHOR: AGENT };
    return (await run(SKEIN, args, { cwd: this.dir, env })).stdout;
  }

  async git(...args) {
    return (await run("git", args, { cwd: this.dir, env: this.env })).stdout;
  }

  async commit(message) {
    await this.git("add", "--all");
    await this.git("commit", "--quiet", "--message", message);
  }

  // The threads as the command line lists them.
  async threads(...filters) {
    return JSON.parse(await this.skein("review", "list", "--json", ...filters));
  }

  path(path) {
    return join(this.dir, path);
  }

  read(path) {
    return readFileSync(this.path(path), "utf8");
  }

  write(path, text) {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), text);
  }

  edit(path, change) {
    const text = this.read(path);
    const changed = change(text);
    if (changed === text) throw new Error(`the edit changes nothing in ${path}`);
    this.write(path, changed);
  }

  rename(from, to) {
    mkdirSync(dirname(this.path(to)), { recursive: true });
    renameSync(this.path(from), this.path(to));
  }

  remove(path) {
    rmSync(this.path(path), { recursive: true });
  }

  threadFile(id) {
    return `.code-review/threads/${id}.md`;
  }

  dispose() {
    rmSync(this.base, { recursive: true, force: true });
  }
}
