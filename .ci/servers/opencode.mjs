// See `opencode` beside this file, which is what to call.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const START_TIMEOUT = 60_000;
const STOP_TIMEOUT = 10_000;
const POLL_INTERVAL = 50;
const SYSTEM = `${process.platform}-${process.arch}`;
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MODEL = fileURLToPath(new URL("scripted-model.mjs", import.meta.url));

const [action, dir] = process.argv.slice(2);
if (action === "install") console.log(install());
else if (action === "start" && dir) await startBoth(resolve(dir));
else if (action === "stop" && dir) await stop(resolve(dir));
else {
  console.error("Usage: .ci/servers/opencode install | start DIR | stop DIR");
  process.exitCode = 2;
}

// Installs the package of OpenCode that e2e/agents pins, without that of the other agent.
function install() {
  const name = `opencode-${SYSTEM}`;
  const lock = JSON.parse(readFileSync(join(ROOT, "e2e/agents/package-lock.json"), "utf8"));
  const { version, integrity } = lock.packages[`node_modules/${name}`];
  const cache = resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target", "servers/opencode", version);
  const program = join(cache, "node_modules", name, "bin/opencode");
  if (existsSync(program)) return program;
  const temporary = `${cache}.${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  writeFileSync(join(temporary, "package.json"), JSON.stringify({ private: true, dependencies: { [name]: version } }));
  const packages = { "": { dependencies: { [name]: version } }, [`node_modules/${name}`]: { version, integrity } };
  writeFileSync(join(temporary, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages }));
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", args, { cwd: temporary, stdio: ["ignore", "ignore", "inherit"] });
  renameSync(temporary, cache);
  return program;
}

async function startBoth(dir) {
  try {
    await start(dir);
  } catch (error) {
    await stop(dir);
    throw error;
  }
}

async function start(dir) {
  const program = install();
  const directory = join(dir, "project");
  const home = join(dir, "home");
  mkdirSync(directory, { recursive: true });
  mkdirSync(join(home, ".config/opencode"), { recursive: true });
  const modelLog = join(dir, "model.jsonl");
  writeFileSync(modelLog, "");
  const model = await run(process.execPath, [MODEL, modelLog], join(dir, "model"), {});
  const environment = environmentOf(home, model.address);
  writeFileSync(join(home, "opencode.json"), JSON.stringify(settings(model.address), null, 2));
  // OpenCode installs a package into its configuration directories; the model's server says that there is none.
  const npmrc = `registry=${model.address}/\nfetch-retries=0\n`;
  for (const path of [".npmrc", ".config/opencode/.npmrc"]) writeFileSync(join(home, path), npmrc);
  createRepository(directory, environment);
  // With port 0 it would try a well-known port first.
  const args = ["serve", "--hostname", "127.0.0.1", "--port", String(await freePort()), "--print-logs"];
  const server = await run(program, args, join(dir, "opencode"), { cwd: directory, env: environment });
  const facts = { ...server, program, directory, environment, model: { ...model, log: modelLog } };
  writeFileSync(join(dir, "facts.json"), `${JSON.stringify(facts, null, 2)}\n`);
}

// Starts a program that outlives this one, and waits until it prints its address.
async function run(program, args, name, options) {
  const log = `${name}.log`;
  const out = openSync(log, "a");
  const child = spawn(program, args, { ...options, detached: true, stdio: ["ignore", out, out] });
  writeFileSync(`${name}.pid`, `${child.pid}\n`);
  for (const end = Date.now() + START_TIMEOUT; Date.now() < end; await sleep(POLL_INTERVAL)) {
    const address = readFileSync(log, "utf8").match(/http:\/\/127\.0\.0\.1:\d+/)?.[0];
    if (address) {
      child.unref();
      return { address, pid: child.pid, log };
    }
    if (child.exitCode !== null) break;
  }
  child.kill("SIGKILL");
  throw new Error(`Cannot start ${program}:\n${readFileSync(log, "utf8")}`);
}

function environmentOf(home, proxy) {
  return {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    OPENCODE_CONFIG: join(home, "opencode.json"),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_PROJECT_CONFIG: "1",
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: "127.0.0.1,localhost",
  };
}

function settings(address) {
  const model = { tool_call: true, reasoning: true, attachment: true, modalities: { input: ["text", "image"], output: ["text"] } };
  const limit = { context: 128_000, output: 8192 };
  return {
    model: "scripted/one",
    small_model: "scripted/one",
    enabled_providers: ["scripted"],
    autoupdate: false,
    share: "disabled",
    lsp: false,
    formatter: false,
    permission: { bash: "ask", edit: "ask", webfetch: "deny" },
    command: { repeat: { description: "Repeats its arguments", template: "Repeat: $ARGUMENTS" } },
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted",
        options: { baseURL: `${address}/v1`, apiKey: "none" },
        models: { one: { name: "One", limit, ...model }, two: { name: "Two", limit, ...model } },
      },
    },
  };
}

// Without a commit OpenCode counts a repository to a project that all directories without git share.
function createRepository(directory, env) {
  const git = (...args) => execFileSync("git", args, { cwd: directory, env });
  writeFileSync(join(directory, "README.md"), "A project for tests.\n");
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=Test", "-c", "user.email=test@example.org", "commit", "--quiet", "-m", "first");
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function stop(dir) {
  for (const name of ["opencode", "model"]) {
    const path = join(dir, `${name}.pid`);
    if (!existsSync(path)) continue;
    const pid = Number(readFileSync(path, "utf8"));
    send(pid, "SIGTERM");
    for (const end = Date.now() + STOP_TIMEOUT; send(pid, 0) && Date.now() < end; ) await sleep(POLL_INTERVAL);
    send(pid, "SIGKILL");
    rmSync(path);
  }
}

// Returns false if the process has ended.
function send(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
