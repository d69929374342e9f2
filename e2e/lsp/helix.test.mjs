// The server in a real Helix in a terminal, with the settings that `skein lsp --print-config helix` prints.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { until } from "../lib/until.mjs";
import { comments, scene, status } from "./scene.mjs";

let workspace;
let editor;

class Helix {
  static async start(workspace) {
    const helix = new Helix();
    const settings = join(workspace.env.XDG_CONFIG_HOME, "helix");
    mkdirSync(settings, { recursive: true });
    const languages = await workspace.skein("lsp", "--print-config", "helix");
    assert.match(languages, /name = "rust"\nlanguage-servers = \["rust-analyzer", "skein"\]/);
    writeFileSync(join(settings, "languages.toml"), languages);
    helix.socket = join(workspace.base, "tmux.sock");
    helix.env = { ...workspace.env, TERM: "xterm-256color" };
    helix.tmux("-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "30", "-c", workspace.dir, "hx src/main.rs");
    return helix;
  }

  tmux(...args) {
    return execFileSync("tmux", ["-S", this.socket, ...args], { encoding: "utf8", env: this.env });
  }

  keys(...keys) {
    this.tmux("send-keys", ...keys);
  }

  type(text) {
    this.tmux("send-keys", "-l", text);
  }

  screen() {
    return this.tmux("capture-pane", "-p");
  }

  // Waits until a line of the screen matches.
  async shows(pattern) {
    const found = () => this.screen().split("\n").find((line) => pattern.test(line));
    return until(found, `${pattern}`).catch((error) => {
      throw new Error(`${error.message}\n${this.screen()}`);
    });
  }

  // Goes to a line and chooses an action whose title starts with a text.
  async act(line, title) {
    this.keys("Escape");
    this.type(`${line}gg a`);
    await this.shows(new RegExp(`${title} `));
    const entry = / (Apply the suggestion of|Reply to|Resolve|Open the file of|Comment on|Draft a comment on) /;
    const entries = this.screen().split("\n").map((line) => line.match(entry)?.[1]).filter(Boolean);
    for (let index = entries.indexOf(title); index > 0; index -= 1) this.keys("Down");
    this.keys("Enter");
  }

  stop() {
    this.tmux("kill-server");
  }
}

beforeEach(async () => {
  workspace = await scene();
});

afterEach(() => {
  editor?.stop();
  editor = null;
  workspace.dispose();
});

test("a thread is shown, and follows typing", async () => {
  editor = await Helix.start(workspace);
  await editor.shows(/3 .*listen\("0\.0\.0\.0", port\);.*Mira Okafor: Not on all interfaces/);
  editor.type("ggO// one");
  editor.keys("Escape");
  await editor.shows(/4 .*listen\("0\.0\.0\.0", port\);.*Mira Okafor: Not on all interfaces/);
});

test("the reply of an agent appears without touching the editor", async () => {
  editor = await Helix.start(workspace);
  await editor.shows(/listen.*Mira Okafor: Not on all interfaces/);
  await workspace.suggest();
  await editor.shows(/Claude Code: Local only/);
});

test("a reply is typed as a command", async () => {
  editor = await Helix.start(workspace);
  await editor.shows(/listen.*Mira Okafor: Not on all interfaces/);
  editor.type(`:lsp-workspace-command skein.reply "${workspace.id}" "Typed."`);
  editor.keys("Enter");
  await until(async () => (await comments(workspace)).length === 2, "the reply is in the thread");
  assert.equal((await comments(workspace))[1], "Typed.");
});

test("a reply is written in a file that the server opens", async () => {
  editor = await Helix.start(workspace);
  await editor.shows(/listen.*Mira Okafor: Not on all interfaces/);
  await editor.act(3, "Reply to");
  await editor.shows(/Write the comment above this line/);
  editor.type("ggiPlease.");
  editor.keys("Escape");
  editor.type(":w");
  editor.keys("Enter");
  await until(async () => (await comments(workspace)).length === 2, "the reply is in the thread");
  assert.equal((await comments(workspace))[1], "Please.");
});

test("a thread is resolved from the menu, and its mark goes", async () => {
  editor = await Helix.start(workspace);
  await editor.shows(/listen.*Mira Okafor: Not on all interfaces/);
  await editor.act(3, "Resolve");
  await until(async () => (await status(workspace)) === "resolved", "the thread is resolved");
  await until(() => !editor.screen().includes("Not on all interfaces"), "the mark is gone");
});

test("a suggestion is applied, undone in one step, and reported when the file is saved", async () => {
  await workspace.suggest();
  editor = await Helix.start(workspace);
  await editor.shows(/Claude Code: Local only/);
  await editor.act(3, "Apply the suggestion of");
  await editor.shows(/listen\("127\.0\.0\.1", port\);/);
  editor.keys("Escape");
  editor.type("u");
  await editor.shows(/listen\("0\.0\.0\.0", port\);/);
  editor.type("U");
  await editor.shows(/listen\("127\.0\.0\.1", port\);/);
  editor.type(":w");
  editor.keys("Enter");
  await until(async () => (await comments(workspace)).length === 3, "the thread has a reply");
  assert.match(workspace.read("src/main.rs"), /127\.0\.0\.1/);
});
