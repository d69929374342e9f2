// Runs a program without a shell: arguments as a list, text by stdin, with a time limit.
import { spawn } from "node:child_process";

export interface RunOptions {
  input?: string;
  env?: NodeJS.ProcessEnv;
  timeout: number;
}

export interface RunResult {
  /** Null if the program was ended by a signal. */
  code: number | null;
  stdout: string;
  stderr: string;
  timedOut: boolean;
}

/** Rejects only if the program cannot be started. */
export function run(program: string, args: string[], options: RunOptions): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: options.env ?? process.env,
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill("SIGKILL");
    }, options.timeout);
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    // A program that ends without reading its input closes the pipe; its exit code says why.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({
        code,
        stdout: Buffer.concat(stdout).toString("utf8"),
        stderr: Buffer.concat(stderr).toString("utf8"),
        timedOut,
      });
    });
  });
}

/** Names of variables by which Skein recognises the agent that started it. */
const AGENT_VARIABLES = new Set([
  "AMP_THREAD_ID",
  "CLAUDECODE",
  "COPILOT_CLI",
  "CURSOR_AGENT",
  "GEMINI_CLI",
  "GOOSE_TERMINAL",
  "OPENCODE",
  "QWEN_CODE",
  "SKEIN_AGENT",
  "SKEIN_SESSION",
]);
const AGENT_PREFIXES = ["CLAUDE_CODE_", "CODEX_"];

/**
 * Returns the environment without the variables that agents set.
 *
 * A window that was started in the terminal of an agent has them, and Skein would sign what a person writes as the agent.
 */
export function withoutAgents(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => !AGENT_VARIABLES.has(name) && !AGENT_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );
  return Object.fromEntries(kept);
}
