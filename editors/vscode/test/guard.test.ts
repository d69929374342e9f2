import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { spawnGuarded } from "../src/guard";
import { script, temporaryDirectory } from "./scripts";

test("the program ends when its pipe is closed", async () => {
  const directory = temporaryDirectory();
  const ended = join(directory, "ended");
  const program = script(directory, `trap 'touch ${ended}; exit' TERM; echo "$1"; while :; do sleep 0.02; done`);
  const child = spawnGuarded(program, ["ready now"]);
  assert.ok(child.stdout);
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  assert.equal(line, "ready now");
  child.stdin?.end();
  await once(child, "exit");
  assert.ok(existsSync(ended));
});

test("the exit code of the program is passed on", async () => {
  const child = spawnGuarded(script(temporaryDirectory(), "exit 3"), []);
  assert.deepEqual(await once(child, "exit"), [3, null]);
});
