import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { WatchEvent } from "../src/documents";
import { Watch } from "../src/watch";
import { script, temporaryDirectory } from "./scripts";
import { until } from "./until";

const EVENT = '{"kind": "review", "id": "a", "event": "replied", "place": "a.rs:3"}';

test("events are read line by line, and lines that are no events are skipped", async () => {
  const directory = temporaryDirectory();
  const program = script(directory, `echo "$*" > ${directory}/args; echo '${EVENT}'; echo junk; echo '${EVENT}'; exec sleep 100`);
  const events: WatchEvent[] = [];
  const watch = new Watch({
    program,
    root: "/r",
    onEvent: (event) => events.push(event),
    onReady: () => undefined,
    log: (line) => assert.doesNotMatch(line, /ended/),
  });
  await until(() => events.length === 2);
  assert.equal(events[0]?.place, "a.rs:3");
  assert.equal(readFileSync(join(directory, "args"), "utf8").trim(), "-C /r watch --code --drafts --json");
  watch.dispose();
});

test("the start is reported when changes are noticed from then on, and again after an end", async () => {
  const directory = temporaryDirectory();
  const [started, ready] = [join(directory, "started"), join(directory, "ready")];
  const program = script(
    directory,
    `echo "Reading the files" >&2; touch ${started}; while ! [ -e ${ready} ]; do sleep 0.02; done; echo "Watching /r: 0 review threads." >&2; exit 1`,
  );
  let starts = 0;
  const watch = new Watch({
    program,
    root: "/r",
    onEvent: () => undefined,
    onReady: () => (starts += 1),
    log: () => undefined,
    firstPause: 1,
  });
  await until(() => existsSync(started));
  assert.equal(starts, 0);
  writeFileSync(ready, "");
  await until(() => starts >= 3);
  watch.dispose();
  const seen = starts;
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(starts, seen);
});

test("dispose ends the program", async () => {
  const directory = temporaryDirectory();
  const ended = join(directory, "ended");
  const program = script(directory, `trap 'touch ${ended}; exit' TERM; echo '${EVENT}'; while :; do sleep 0.02; done`);
  let started = false;
  const watch = new Watch({
    program,
    root: "/r",
    onEvent: () => (started = true),
    onReady: () => undefined,
    log: () => undefined,
  });
  await until(() => started);
  watch.dispose();
  await until(() => existsSync(ended));
});

const binary = process.env["SKEIN_BIN"];

test("the real program says when it notices changes", { skip: binary === undefined }, async () => {
  let starts = 0;
  const options = { root: temporaryDirectory(), onEvent: () => undefined, onReady: () => (starts += 1), log: () => undefined };
  const watch = new Watch({ program: binary ?? "", ...options });
  await until(() => starts === 1);
  watch.dispose();
});
