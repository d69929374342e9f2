// Takes the picture of docs/mcp.md: Codex answers a thread of the demo with the tools. Look at it before committing it.
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Codex } from "../lib/agent.mjs";
import { FakeModel } from "../lib/fake-model.mjs";
import { agents } from "../lib/packages.mjs";
import { takeTerminal } from "../lib/terminal-picture.mjs";
import { until } from "../lib/until.mjs";
import { Workspace } from "../lib/workspace.mjs";

const PICTURE = fileURLToPath(new URL("../../docs/pictures/mcp.png", import.meta.url));
const SIZE = { columns: 120, rows: 32 };
const THREAD = "0c9e4b7a";
const PATCH = `*** Begin Patch
*** Update File: src/http.rs
@@ pub fn serve(cache: Cache) {
-    let listener = TcpListener::bind("0.0.0.0:8080").unwrap();
+    let listener = TcpListener::bind("127.0.0.1:8080").unwrap();
*** End Patch
`;
const REPLY = "It listens on the loopback interface only.";

const { programs, missing } = await agents();
if (missing) throw new Error(missing);
const workspace = await Workspace.demo();
const model = await FakeModel.start();
const agent = new Codex(programs.codex, workspace, model);
const env = { ...agent.env, PATH: `${dirname(programs.codex)}:${agent.env.PATH}`, TERM: "xterm-256color", COLORTERM: "truecolor" };
await workspace.skein("install", "codex", "--mcp");
model.play(
  agent.call("review_threads", { path: "src/http.rs" }),
  { tool: "apply_patch", input: PATCH },
  agent.call("review_reply", { replies: [{ id: THREAD, body: REPLY }] }),
  { text: `${REPLY} The thread waits on you.` },
);

const socket = join(workspace.base, "tmux.sock");
const tmux = (...args) => execFileSync("tmux", ["-S", socket, ...args], { encoding: "utf8", env });
const shows = (text) => until(() => tmux("capture-pane", "-p").includes(text), text);
try {
  const size = ["-x", `${SIZE.columns}`, "-y", `${SIZE.rows}`];
  tmux("-f", "/dev/null", "new-session", "-d", ...size, "-c", workspace.dir, "codex 'Answer the comment on the address'");
  tmux("set-option", "-g", "status", "off");
  await shows("Use existing model");
  tmux("send-keys", "2");
  await shows("waits on you");
  await takeTerminal(PICTURE, tmux("capture-pane", "-p", "-e", "-N"), SIZE);
} finally {
  tmux("kill-server");
  await model.stop();
  workspace.dispose();
}
