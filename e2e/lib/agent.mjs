// A real agent in a workspace: it thinks with a fake model, and reaches nothing but the loopback interface.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { SKEIN } from "./workspace.mjs";

const run = promisify(execFile);
const PATIENCE = 60_000;

// Skein is found as users have it, by its name.
function environment(workspace, model) {
  return {
    ...workspace.env,
    PATH: `${dirname(SKEIN)}:${workspace.env.PATH}`,
    // Whoever wants to leave the machine asks the model, which refuses and remembers.
    HTTP_PROXY: model.address,
    HTTPS_PROXY: model.address,
    NO_PROXY: "127.0.0.1,localhost",
  };
}

// The author is the agent's own affair, and so is the session.
function withoutAuthor({ SKEIN_AUTHOR: _, ...env }) {
  return env;
}

export class ClaudeCode {
  static name = "claude-code";

  constructor(program, workspace, model) {
    this.program = program;
    this.workspace = workspace;
    this.env = withoutAuthor({
      ...environment(workspace, model),
      ANTHROPIC_BASE_URL: model.address,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    });
  }

  // Lets the agent do one thing, in a session of its own; returns the id of the session.
  async ask(prompt) {
    const args = ["--allowedTools", "Bash,Write,Edit", "--output-format", "json", "-p", prompt];
    const { stdout } = await finished(this.program, args, this);
    return JSON.parse(stdout).session_id;
  }

  // Begins a conversation in which several things are said.
  async open() {
    const talk = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    const child = started(this.program, ["--allowedTools", "Bash,Write,Edit", "-p", ...talk], this);
    const say = async (content) => {
      const answer = said(child, /^\{.*"type":"result".*$/m);
      child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`);
      await answer;
    };
    const close = async () => {
      child.stdin.end();
      await ended(child);
    };
    return { say, compact: () => say("/compact"), close };
  }

  write(path, content) {
    return { tool: "Write", input: { file_path: this.workspace.path(path), content } };
  }

  shell(command) {
    return { tool: "Bash", input: { command, description: "runs a command" } };
  }
}

export class OpenCode {
  static name = "opencode";

  constructor(program, workspace, model) {
    this.program = program;
    this.workspace = workspace;
    const home = workspace.env.HOME;
    const config = join(home, "opencode.json");
    this.env = withoutAuthor({
      ...environment(workspace, model),
      OPENCODE_CONFIG: config,
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    });
    writeFileSync(config, JSON.stringify(settings(model)));
    // It installs a package of its own beside every plugin; the model's server says that there is none.
    writeFileSync(join(home, ".npmrc"), `registry=${model.address}/\nfetch-retries=0\n`);
    mkdirSync(join(home, ".config/opencode"), { recursive: true });
  }

  async ask(prompt) {
    const { stdout } = await finished(this.program, ["run", "--format", "json"], this, prompt);
    const first = stdout.split("\n").find((line) => line.startsWith("{"));
    return JSON.parse(first).sessionID;
  }

  async open() {
    const child = started(this.program, ["serve", "--hostname", "127.0.0.1", "--port", "0"], this);
    const address = await said(child, /http:\/\/127\.0\.0\.1:\d+/);
    const post = async (path, body) => {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(address + path, { method: "POST", headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    };
    const { id } = await post("/session", {});
    const close = async () => {
      child.kill("SIGTERM");
      await ended(child);
    };
    return {
      say: (text) => post(`/session/${id}/message`, { parts: [{ type: "text", text }] }),
      compact: () => post(`/session/${id}/summarize`, { providerID: "fake", modelID: "fake" }),
      close,
    };
  }

  write(path, content) {
    return { tool: "write", input: { filePath: this.workspace.path(path), content } };
  }

  shell(command) {
    return { tool: "bash", input: { command, description: "runs a command" } };
  }
}

function settings(model) {
  const limit = { context: 128000, output: 8192 };
  return {
    model: "fake/fake",
    small_model: "fake/fake",
    enabled_providers: ["fake"],
    autoupdate: false,
    share: "disabled",
    snapshot: false,
    lsp: false,
    formatter: false,
    permission: { bash: "allow", edit: "allow", webfetch: "deny" },
    provider: {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${model.address}/v1`, apiKey: "none" },
        models: { fake: { tool_call: true, limit } },
      },
    },
  };
}

// Runs a program to its end; whoever takes too long is ended.
async function finished(program, args, { workspace, env }, input = "") {
  const promise = run(program, args, { cwd: workspace.dir, env, timeout: PATIENCE, killSignal: "SIGKILL", maxBuffer: 1e7 });
  promise.child.stdin.on("error", () => {});
  promise.child.stdin.end(input);
  return promise;
}

const running = new Set();

process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

function started(program, args, { workspace, env }) {
  const child = spawn(program, args, { cwd: workspace.dir, env, stdio: ["pipe", "pipe", "pipe"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  child.stdin.on("error", () => {});
  return child;
}

async function ended(child) {
  const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  clearTimeout(late);
}

// Waits until a program has said something from here on.
function said(child, pattern) {
  return new Promise((done, fail) => {
    let text = "";
    const late = setTimeout(() => end(new Error(`it does not say ${pattern}: ${text}`)), PATIENCE);
    const hear = (part) => {
      text += part;
      const found = text.match(pattern);
      if (found) end(null, found[0]);
    };
    const gone = (code) => end(new Error(`it ended with ${code}: ${text}`));
    const end = (error, found) => {
      clearTimeout(late);
      child.stdout.off("data", hear);
      child.stderr.off("data", hear);
      child.off("exit", gone);
      if (error) fail(error);
      else done(found);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", gone);
  });
}
