// Takes the picture of docs/lsp.md: the demo in Helix. Look at it before committing it.
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { takeTerminal } from "../lib/terminal-picture.mjs";
import { until } from "../lib/until.mjs";
import { SKEIN, Workspace } from "../lib/workspace.mjs";

const PICTURE = fileURLToPath(new URL("../../docs/pictures/lsp.png", import.meta.url));
const SIZE = { columns: 132, rows: 34 };

const workspace = await Workspace.demo();
const bin = join(workspace.base, "bin");
mkdirSync(bin);
symlinkSync(SKEIN, join(bin, "skein"));
const env = { ...workspace.env, PATH: `${bin}:${process.env.PATH}`, TERM: "xterm-256color", COLORTERM: "truecolor" };
const settings = join(env.XDG_CONFIG_HOME, "helix");
mkdirSync(settings, { recursive: true });
const languages = await workspace.skein("lsp", "--print-config", "helix");
writeFileSync(join(settings, "languages.toml"), languages.replace('"rust-analyzer", ', ""));

const socket = join(workspace.base, "tmux.sock");
const tmux = (...args) => execFileSync("tmux", ["-S", socket, ...args], { encoding: "utf8", env });
const shows = (text) => until(() => tmux("capture-pane", "-p").includes(text), text);
try {
  const size = ["-x", `${SIZE.columns}`, "-y", `${SIZE.rows}`];
  tmux("-f", "/dev/null", "new-session", "-d", ...size, "-c", workspace.dir, "hx src/cache.rs");
  tmux("set-option", "-g", "default-terminal", "tmux-256color");
  tmux("set-option", "-g", "status", "off");
  await shows("This lets one entry");
  tmux("send-keys", "-l", process.argv[2] ?? "19gg a");
  await shows("Reply to");
  await takeTerminal(PICTURE, tmux("capture-pane", "-p", "-e", "-N"), SIZE);
} finally {
  tmux("kill-server");
  workspace.dispose();
}
