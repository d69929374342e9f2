import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Cli, parseFailure, SkeinError } from "../src/cli";
import { withoutAgents } from "../src/process";
import { script, temporaryDirectory } from "./scripts";

test("arguments reach the program as they are, and the text by stdin", async () => {
  const directory = temporaryDirectory();
  const program = script(
    directory,
    `printf '%s\\n' "$@" > ${directory}/args; cat > ${directory}/input; echo '{"threads": []}'`,
  );
  const cli = new Cli(program, "/some root");
  await cli.write(["review", "reply", "a b;$(x)", "-m", "-"], { input: "It's `done`.\n$HOME" });
  const args = readFileSync(join(directory, "args"), "utf8");
  assert.equal(args, "-C\n/some root\nreview\nreply\na b;$(x)\n-m\n-\n--json\n");
  assert.equal(readFileSync(join(directory, "input"), "utf8"), "It's `done`.\n$HOME");
});

test("the log has no text of comments", async () => {
  const lines: string[] = [];
  const cli = new Cli(script(temporaryDirectory(), "echo '{}'"), "/r", (line) => lines.push(line));
  await cli.write(["review", "edit", "a", "b", "-m", "-", "--was=secret\nwords"], { input: "secret words" });
  await cli.write(["handoff", "--message", "-", "--step=secret"], { input: "secret words" });
  assert.match(lines[0] ?? "", /^skein -C \/r review edit a b -m - --was=… --json: exit 0, \d+ ms$/);
  assert.match(lines[1] ?? "", /^skein -C \/r handoff --message - --step=… --json: exit 0, \d+ ms$/);
});

test("paths stay behind the options", async () => {
  const directory = temporaryDirectory();
  const program = script(directory, `echo "$*" > ${directory}/args; echo '{}'`);
  await new Cli(program, "/r").read(["review", "diff", "HEAD", "--", "-a.rs"]);
  assert.equal(readFileSync(join(directory, "args"), "utf8"), "-C /r review diff HEAD --json -- -a.rs\n");
});

test("writes run one after the other, also after one that failed", async () => {
  const directory = temporaryDirectory();
  const log = join(directory, "log");
  const program = script(
    directory,
    `echo "start $3" >> ${log}; sleep 0.05; echo "end $3" >> ${log}; [ "$3" != bad ] || exit 2; echo '{}'`,
  );
  const cli = new Cli(program, "/");
  const results = await Promise.allSettled([cli.write(["one"]), cli.write(["bad"]), cli.write(["two"])]);
  assert.deepEqual(
    results.map((result) => result.status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  const lines = readFileSync(log, "utf8").trim().split("\n");
  assert.deepEqual(lines, ["start one", "end one", "start bad", "end bad", "start two", "end two"]);
});

test("the error has the message and the hint of the program", () => {
  const error = parseFailure(
    2,
    "Error: line 5 of a.rs does not contain \"x\"\nHint: it is in a.rs:6\nthe piped input is kept; add `< /x`\n",
  );
  assert.equal(error.kind, "refused");
  assert.equal(error.message, 'Line 5 of a.rs does not contain "x"');
  assert.equal(error.text, 'Line 5 of a.rs does not contain "x". It is in a.rs:6');
});

test("a message of several lines, and none at all", () => {
  const error = parseFailure(2, "Error: two are wrong:\n  first\n  second\nCaused by: x\n");
  assert.equal(error.message, "Two are wrong:\n  first\n  second");
  assert.equal(parseFailure(255, "").text, "Skein ended with the code 255");
  assert.equal(parseFailure(null, "").kind, "failed");
});

test("a program that cannot be started, and output that is not JSON", async () => {
  const missing = new Cli("/nowhere/skein", "/");
  await assert.rejects(missing.read(["list"]), (error: SkeinError) => error.kind === "not-started");
  const program = script(temporaryDirectory(), "echo text");
  await assert.rejects(new Cli(program, "/").read(["list"]), (error: SkeinError) => error.kind === "bad-output");
});

test("the answer no is a result where it is allowed", async () => {
  const program = script(temporaryDirectory(), "echo '{}'; exit 1");
  assert.deepEqual(await new Cli(program, "/").read(["next"], { allowNo: true }), {});
  await assert.rejects(new Cli(program, "/").read(["next"]));
});

test("variables of agents are removed, all others are kept", () => {
  const env = {
    PATH: "/bin",
    CLAUDECODE: "1",
    CLAUDE_CODE_SESSION_ID: "a",
    CODEX_SANDBOX: "b",
    OPENCODE: "1",
    CURSOR_AGENT: "1",
    GEMINI_CLI: "1",
    SKEIN_AGENT: "Zed",
    SKEIN_SESSION: "s",
    SKEIN_AUTHOR: "Mira",
  };
  assert.deepEqual(withoutAgents(env), { PATH: "/bin", SKEIN_AUTHOR: "Mira" });
});

test("every variable by which the program recognises an agent is removed", () => {
  const source = readFileSync("../../crates/workspace/src/agent_names.rs", "utf8");
  const table = source.slice(source.indexOf("const AGENT_VARIABLES"), source.indexOf("];", source.indexOf("const AGENT_VARIABLES")));
  const names = [...table.matchAll(/\("(\w+)", /g)].map(([, name]) => name ?? "");
  assert.ok(names.length > 5);
  assert.deepEqual(withoutAgents(Object.fromEntries(names.map((name) => [name, "1"]))), {});
});

test("children do not see the variables of agents", async () => {
  const program = script(temporaryDirectory(), 'echo "{\\"seen\\": \\"$CODEX_THREAD_ID\\"}"');
  process.env["CODEX_THREAD_ID"] = "t1";
  try {
    assert.deepEqual(await new Cli(program, "/").read([]), { seen: "" });
  } finally {
    delete process.env["CODEX_THREAD_ID"];
  }
});
