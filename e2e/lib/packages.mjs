// The programs of real agents from npm: pinned versions, installed without running their scripts.
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const DIR = fileURLToPath(new URL("../agents", import.meta.url));
const LOCK = join(DIR, "package-lock.json");
const INSTALLED = join(DIR, "node_modules/.lock");
const TIMEOUT = 300_000;
const SYSTEM = `${process.platform}-${process.arch}`;

const PROGRAMS = {
  claude: `@anthropic-ai/claude-code-${SYSTEM}/claude`,
  opencode: `opencode-${SYSTEM}/bin/opencode`,
  codex: "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
  gemini: ".bin/gemini",
};

// Returns the programs by name, or why they are missing.
export async function agents() {
  try {
    await install();
    const found = {};
    for (const [name, path] of Object.entries(PROGRAMS)) found[name] = await working(join(DIR, "node_modules", path));
    copyFileSync(LOCK, INSTALLED);
    return { programs: found };
  } catch (error) {
    return { missing: why(error) };
  }
}

async function install() {
  const same = existsSync(INSTALLED) && readFileSync(INSTALLED, "utf8") === readFileSync(LOCK, "utf8");
  if (same) return;
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"];
  await run("npm", args, { cwd: DIR, timeout: TIMEOUT });
}

// npm skips a package for another system or one that cannot be fetched, and the program may not run on this processor.
async function working(program) {
  if (!existsSync(program)) throw new Error(`npm did not deliver ${program}`);
  await run(program, ["--version"], { timeout: TIMEOUT });
  return program;
}

function why({ stderr, message }) {
  const lines = (stderr || message).trim().split("\n");
  return (lines.find((line) => /^npm error (?!code)/.test(line)) ?? lines.at(-1)).trim();
}
