// A VS Code that serves browsers: the real program in its own process group, with its own home and data directories.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { SKEIN } from "../../lib/workspace.mjs";
import { StartError } from "./start.mjs";

const INSTALLED = process.env.CODE_SERVER;
const NODE = join(INSTALLED, "bin/node");
const START_TIMEOUT = 60_000;
const STOP_TIMEOUT = 5_000;
// A loopback port without a server: nothing is asked of a gallery.
const NO_GALLERY = '{"serviceUrl": "http://127.0.0.1:9/", "itemUrl": "http://127.0.0.1:9/"}';
const SETTINGS = {
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "chat.disableAIFeatures": true,
  "remote.autoForwardPorts": false,
  "files.autoSave": "off",
  "files.hotExit": "off",
  "telemetry.telemetryLevel": "off",
  "extensions.ignoreRecommendations": true,
  "git.openRepositoryInParentFolders": "never",
  "git.autofetch": false,
  // The view of comments would cover half of the editor.
  "comments.openView": "never",
  "editor.minimap.enabled": false,
  "editor.cursorBlinking": "solid",
  "editor.cursorSmoothCaretAnimation": "off",
};
// Keys for commands that have none.
export const KEYS = { clear: "Control+Alt+Shift+C", clearNotifications: "Control+Alt+Shift+N", listNotifications: "Control+Alt+Shift+L" };
const KEYBINDINGS = [
  { key: "ctrl+alt+shift+l", command: "notifications.showList" },
  { key: "ctrl+alt+shift+n", command: "notifications.clearAll" },
  {
    key: "ctrl+alt+shift+c",
    command: "runCommands",
    args: { commands: ["workbench.action.files.revert", "workbench.action.closeAllEditors", "notifications.clearAll"] },
  },
];
const running = new Set();

process.on("exit", () => {
  for (const group of running) kill(group, "SIGKILL");
});

export class CodeServer {
  // `extensions`: directories of unpacked extensions. `vsix`: a package to install. `skein`: whether the program is on the search path.
  static async start({ extensions = [], vsix, skein = true, env = {} } = {}) {
    const server = new CodeServer();
    server.base = mkdtempSync(join(tmpdir(), "skein-vscode-"));
    const at = (...path) => join(server.base, ...path);
    for (const dir of ["home", "bin", "extensions"]) mkdirSync(at(dir));
    for (const dir of ["User", "Machine"]) mkdirSync(at("data", dir), { recursive: true });
    if (skein) server.program();
    for (const dir of extensions) install(dir, at("extensions", basename(dir)));
    server.configure();
    server.machine();
    server.bind();
    server.env = {
      PATH: `${at("bin")}:/usr/local/bin:/usr/bin:/bin`,
      HOME: at("home"),
      XDG_CONFIG_HOME: at("home/.config"),
      XDG_STATE_HOME: at("home/.local/state"),
      XDG_CACHE_HOME: at("home/.cache"),
      XDG_DATA_HOME: at("home/.local/share"),
      GIT_CONFIG_NOSYSTEM: "1",
      LANG: "C.UTF-8",
      EXTENSIONS_GALLERY: NO_GALLERY,
      ...env,
    };
    // VS Code asks a login shell for the variables, whose system-wide profile sets PATH.
    writeFileSync(at("home/.profile"), `export PATH=${server.env.PATH}\n`);
    const program = [join(INSTALLED, "node_modules/code-server/out/node/entry.js"), `--config=${at("config.yaml")}`];
    program.push(`--user-data-dir=${at("data")}`, `--extensions-dir=${at("extensions")}`);
    if (vsix) execFileSync(NODE, [...program, "--install-extension", vsix], { env: server.env, stdio: "pipe" });
    try {
      await server.#listen(program, at("home"));
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  // Puts a program on the search path of the server, by default the one under test.
  program(path = SKEIN) {
    const name = join(this.base, "bin/skein");
    rmSync(name, { force: true });
    symlinkSync(path, name);
  }

  async #listen(program, cwd) {
    const args = ["--auth=none", "--bind-addr=127.0.0.1:0", "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"];
    const child = spawn(NODE, [...program, ...args], {
      cwd,
      env: this.env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child.pid);
    this.group = child.pid;
    this.output = "";
    this.origin = await new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new StartError(`code-server does not start: ${this.output}`)), START_TIMEOUT);
      const read = (bytes) => {
        this.output += bytes;
        const address = this.output.match(/listening on (http:\/\/127\.0\.0\.1:\d+)/);
        if (!address) return;
        clearTimeout(timer);
        done(address[1]);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("exit", (code) => {
        clearTimeout(timer);
        fail(new StartError(`code-server exited with ${code}: ${this.output}`));
      });
    });
  }

  // Settings of the user. A window reads them when it opens, and follows changes.
  configure(settings = {}) {
    this.#write("User/settings.json", { ...SETTINGS, ...settings });
  }

  // Settings of the machine, such as `skein.path`, which a repository cannot set.
  machine(settings = {}) {
    this.#write("Machine/settings.json", settings);
  }

  // Binds keys to commands with arguments: `[{ key, command, args }…]`.
  bind(keybindings = []) {
    this.#write("User/keybindings.json", [...KEYBINDINGS, ...keybindings]);
  }

  #write(path, document) {
    writeFileSync(join(this.base, "data", path), JSON.stringify(document, null, 2));
  }

  address(path) {
    const key = path.endsWith(".code-workspace") ? "workspace" : "folder";
    return `${this.origin}/?${key}=${encodeURIComponent(path)}`;
  }

  // The processes of VS Code outlive the first one for a while, so the whole group ends.
  async stop() {
    kill(this.group, "SIGTERM");
    const deadline = Date.now() + STOP_TIMEOUT;
    while (Date.now() < deadline && kill(this.group, 0)) await new Promise((done) => setTimeout(done, 50));
    kill(this.group, "SIGKILL");
    running.delete(this.group);
    rmSync(this.base, { recursive: true, force: true, maxRetries: 5 });
  }
}

function install(from, to) {
  cpSync(from, to, { recursive: true, filter: (path) => basename(path) !== "node_modules" });
}

function kill(group, signal) {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
