import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Cli } from "../src/cli";
import { Work } from "../src/work";
import { script, temporaryDirectory } from "./scripts";

test("a step is closed and reopened only as it was shown", async () => {
  const directory = temporaryDirectory();
  const program = script(directory, `shift 2; printf '%s\\n' "$@" > ${directory}/args; echo '{"steps": []}'`);
  const work = new Work(new Cli(program, "/r"));
  const args = () => readFileSync(join(directory, "args"), "utf8").trim().split("\n");
  await work.setStep({ id: "T#1", text: "Test it" }, true);
  assert.deepEqual(args(), ["steps", "done", "T#1", "--was=Test it", "--json"]);
  await work.setStep({ id: "T#1", text: "Test it" }, false);
  assert.deepEqual(args(), ["steps", "reopen", "T#1", "--was=Test it", "--json"]);
});

test("a handoff has its message by stdin and its steps", async () => {
  const directory = temporaryDirectory();
  const program = script(
    directory,
    `shift 2; printf '%s\\n' "$@" > ${directory}/args; cat > ${directory}/input; echo '{}'`,
  );
  await new Work(new Cli(program, "/r")).handOver("Parser done", ["Docs", "-x"]);
  const args = readFileSync(join(directory, "args"), "utf8").trim().split("\n");
  assert.deepEqual(args, ["handoff", "--message", "-", "--new-store", "--step=Docs", "--step=-x", "--json"]);
  assert.equal(readFileSync(join(directory, "input"), "utf8"), "Parser done");
});
