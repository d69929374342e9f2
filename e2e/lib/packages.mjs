// The programs of real agents, as npm has them: pinned, with no script of theirs run on installing.
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const DIR = fileURLToPath(new URL("../agents", import.meta.url));
const LOCK = join(DIR, "package-lock.json");
const INSTALLED = join(DIR, "node_modules/.lock");
const PATIENCE = 90_000;
const SYSTEM = `${process.platform}-${process.arch}`;

const PROGRAMS = {
  claude: `@anthropic-ai/claude-code-${SYSTEM}/claude`,
  opencode: `opencode-${SYSTEM}/bin/opencode`,
};

// Returns the programs by name, or why they cannot be had.
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
  await run("npm", args, { cwd: DIR, timeout: PATIENCE });
}

// A package for another system is left out by npm, as is one that cannot be fetched; and the processor may not do.
async function working(program) {
  if (!existsSync(program)) throw new Error(`npm did not deliver ${program}`);
  await run(program, ["--version"], { timeout: PATIENCE });
  return program;
}

function why({ stderr, message }) {
  const lines = (stderr || message).trim().split("\n");
  return (lines.find((line) => /^npm error (?!code)/.test(line)) ?? lines.at(-1)).trim();
}
