// A real agent in a workspace: it uses a fake model, and can reach only the loopback interface.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { SKEIN } from "./workspace.mjs";

const run = promisify(execFile);
const TIMEOUT = 180_000;
const CLAUDE_TOOLS = "Bash,Write,Edit,mcp__skein";

// Skein is found in the `PATH`, as on the machine of a user.
function environment(workspace, model) {
  return {
    ...workspace.env,
    PATH: `${dirname(SKEIN)}:${workspace.env.PATH}`,
    // The fake model is the proxy for all other hosts; it refuses and records them.
    HTTP_PROXY: model.address,
    HTTPS_PROXY: model.address,
    NO_PROXY: "127.0.0.1,localhost",
  };
}

// The agent itself sets the author and the session.
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

  // Runs one prompt in a new session, and returns the id of the session.
  async ask(prompt, dir = this.workspace.dir) {
    const args = ["--allowedTools", CLAUDE_TOOLS, "--output-format", "json", "-p", prompt];
    const { stdout } = await runToExit(this.program, args, this, "", dir);
    return JSON.parse(stdout).session_id;
  }

  // Starts a conversation for several prompts.
  async open() {
    const streaming = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    const child = spawnChild(this.program, ["--allowedTools", CLAUDE_TOOLS, "-p", ...streaming], this);
    const say = async (content) => {
      const answer = waitForOutput(child, /^\{.*"type":"result".*$/m);
      child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`);
      await answer;
    };
    const close = async () => {
      child.stdin.end();
      await waitForExit(child);
    };
    return { say, compact: () => say("/compact"), close };
  }

  write(path, content) {
    return { tool: "Write", input: { file_path: resolve(this.workspace.dir, path), content } };
  }

  shell(command) {
    return { tool: "Bash", input: { command, description: "runs a command" } };
  }

  // Calls a tool of `skein mcp`.
  call(tool, input) {
    return { tool: `mcp__skein__${tool}`, input };
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
    // OpenCode installs a package for every plugin; the server of the fake model answers that it does not exist.
    writeFileSync(join(home, ".npmrc"), `registry=${model.address}/\nfetch-retries=0\n`);
    mkdirSync(join(home, ".config/opencode"), { recursive: true });
  }

  async ask(prompt, dir = this.workspace.dir) {
    const { stdout } = await runToExit(this.program, ["run", "--format", "json"], this, prompt, dir);
    const first = stdout.split("\n").find((line) => line.startsWith("{"));
    return JSON.parse(first).sessionID;
  }

  async open() {
    const child = spawnChild(this.program, ["serve", "--hostname", "127.0.0.1", "--port", "0"], this);
    const address = await waitForOutput(child, /http:\/\/127\.0\.0\.1:\d+/);
    const post = async (path, body) => {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(address + path, { method: "POST", headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    };
    const { id } = await post("/session", {});
    const close = async () => {
      child.kill("SIGTERM");
      await waitForExit(child);
    };
    return {
      say: (text) => post(`/session/${id}/message`, { parts: [{ type: "text", text }] }),
      compact: () => post(`/session/${id}/summarize`, { providerID: "fake", modelID: "fake" }),
      close,
    };
  }

  write(path, content) {
    return { tool: "write", input: { filePath: resolve(this.workspace.dir, path), content } };
  }

  shell(command) {
    return { tool: "bash", input: { command, description: "runs a command" } };
  }

  call(tool, input) {
    return { tool: `skein_${tool}`, input };
  }
}

// It has no mode for several prompts without a terminal, so that it has no `open`.
export class Codex {
  static name = "codex";

  constructor(program, workspace, model) {
    this.program = program;
    this.workspace = workspace;
    const dir = join(workspace.env.HOME, ".codex");
    mkdirSync(dir);
    writeFileSync(join(dir, "config.toml"), codexSettings(workspace, model));
    this.env = withoutAuthor(environment(workspace, model));
  }

  async ask(prompt, dir = this.workspace.dir) {
    // Only a person at a terminal can trust hooks. In a sandbox, git could not write.
    const args = ["exec", "--json", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", prompt];
    const { stdout } = await runToExit(this.program, args, this, "", dir);
    return JSON.parse(stdout.split("\n")[0]).thread_id;
  }

  write(path, content) {
    const lines = content.trimEnd().split("\n").map((line) => `+${line}\n`);
    const file = resolve(this.workspace.dir, path);
    return { tool: "apply_patch", input: `*** Begin Patch\n*** Add File: ${file}\n${lines.join("")}*** End Patch\n` };
  }

  shell(command) {
    return { tool: "exec_command", input: { cmd: command } };
  }

  call(tool, input) {
    return { namespace: "mcp__skein", tool, input };
  }
}

// It has no mode for several prompts without a terminal either.
export class GeminiCli {
  static name = "gemini-cli";

  constructor(program, workspace, model) {
    this.program = program;
    this.workspace = workspace;
    const dir = join(workspace.env.HOME, ".gemini");
    mkdirSync(dir);
    const settings = {
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      security: { auth: { selectedType: "gemini-api-key" } },
    };
    writeFileSync(join(dir, "settings.json"), JSON.stringify(settings));
    this.env = withoutAuthor({
      ...environment(workspace, model),
      GOOGLE_GEMINI_BASE_URL: model.address,
      GEMINI_API_KEY: "none",
      GEMINI_MODEL: "gemini-2.5-flash",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    });
  }

  async ask(prompt, dir = this.workspace.dir) {
    const args = ["--approval-mode", "yolo", "--output-format", "json", "-p", prompt];
    const { stdout } = await runToExit(this.program, args, this, "", dir);
    return JSON.parse(stdout).session_id;
  }

  write(path, content) {
    return { tool: "write_file", input: { file_path: resolve(this.workspace.dir, path), content } };
  }

  shell(command) {
    return { tool: "run_shell_command", input: { command, description: "runs a command" } };
  }

  call(tool, input) {
    return { tool: `mcp_skein_${tool}`, input };
  }
}

function codexSettings(workspace, model) {
  return `model = "gpt-5.5"
model_provider = "fake"
allow_login_shell = false
check_for_update_on_startup = false
analytics = { enabled = false }
otel = { metrics_exporter = "none" }
features = { apps = false, daemon_auto_start = false, plugins = false, remote_plugin = false }

[model_providers.fake]
name = "fake"
base_url = "${model.address}/v1"
wire_api = "responses"

[projects.${JSON.stringify(workspace.dir)}]
trust_level = "trusted"
`;
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

// Runs a program until it exits, and kills it after the timeout.
async function runToExit(program, args, { env }, input, cwd) {
  const promise = run(program, args, { cwd, env, timeout: TIMEOUT, killSignal: "SIGKILL", maxBuffer: 1e7 });
  promise.child.stdin.on("error", () => {});
  promise.child.stdin.end(input);
  return promise;
}

const running = new Set();

process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

function spawnChild(program, args, { workspace, env }) {
  const child = spawn(program, args, { cwd: workspace.dir, env, stdio: ["pipe", "pipe", "pipe"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  child.stdin.on("error", () => {});
  return child;
}

async function waitForExit(child) {
  const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT);
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  clearTimeout(timer);
}

// Waits until a program prints a text that matches.
function waitForOutput(child, pattern) {
  return new Promise((done, fail) => {
    let text = "";
    const timer = setTimeout(() => end(new Error(`no output matches ${pattern}: ${text}`)), TIMEOUT);
    const read = (part) => {
      text += part;
      const found = text.match(pattern);
      if (found) end(null, found[0]);
    };
    const exited = (code) => end(new Error(`it exited with ${code}: ${text}`));
    const end = (error, found) => {
      clearTimeout(timer);
      child.stdout.off("data", read);
      child.stderr.off("data", read);
      child.off("exit", exited);
      if (error) fail(error);
      else done(found);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("exit", exited);
  });
}
