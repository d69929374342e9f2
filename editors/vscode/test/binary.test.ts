import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Binary, explain, findBinary, type SearchPlaces } from "../src/binary";
import { script, temporaryDirectory, versionScript } from "./scripts";

function places(found: Partial<SearchPlaces>): SearchPlaces {
  return { setting: "", path: "", home: "/nowhere", bundled: "/nowhere/bin/skein", platform: "linux", ...found };
}

function directory(parent: string, name: string): string {
  const path = join(parent, name);
  mkdirSync(path);
  return path;
}

test("the program in PATH is used", async () => {
  const bin = temporaryDirectory();
  const program = versionScript(bin);
  const found = await findBinary(places({ path: `/nowhere:${bin}` }));
  assert.deepEqual(found, { kind: "ready", program, version: "0.1.0" });
});

test("programs in the home directory are used after those in PATH", async () => {
  const home = temporaryDirectory();
  const own = directory(home, ".cargo");
  const program = versionScript(directory(own, "bin"));
  assert.deepEqual(await findBinary(places({ home })), { kind: "ready", program, version: "0.1.0" });
  const bin = temporaryDirectory();
  const inPath = versionScript(bin);
  assert.deepEqual(await findBinary(places({ home, path: bin })), { kind: "ready", program: inPath, version: "0.1.0" });
});

test("a program without the command version is too old, and the bundled one is used", async () => {
  const top = temporaryDirectory();
  const old = directory(top, "old");
  const bundled = directory(top, "bundled");
  const oldProgram = script(old, "echo 'Error: unknown command' >&2; exit 2");
  const found = await findBinary(places({ path: old }));
  assert.deepEqual(found, { kind: "old", program: oldProgram, version: undefined });
  const program = versionScript(bundled);
  const better = await findBinary(places({ path: old, bundled: program }));
  assert.deepEqual(better, { kind: "ready", program, version: "0.1.0" });
});

test("a program that lacks a feature is too old", async () => {
  const bin = temporaryDirectory();
  versionScript(bin, 1, '"edit-was"');
  assert.equal((await findBinary(places({ path: bin }))).kind, "old");
});

test("a program with newer documents is refused", async () => {
  const bin = temporaryDirectory();
  versionScript(bin, 2);
  assert.equal((await findBinary(places({ path: bin }))).kind, "new");
});

test("no other program replaces the one of the setting", async () => {
  const bin = temporaryDirectory();
  versionScript(bin);
  const found = await findBinary(places({ setting: "/nowhere/skein", path: bin }));
  assert.deepEqual(found, { kind: "missing", looked: "/nowhere/skein" });
});

test("a file that cannot be run, or prints something else, is not used", async () => {
  const top = temporaryDirectory();
  const plain = directory(top, "plain");
  writeFileSync(join(plain, "skein"), "text");
  assert.equal((await findBinary(places({ path: plain }))).kind, "missing");
  const other = directory(top, "other");
  script(other, "echo 'skein 9'");
  assert.equal((await findBinary(places({ path: other }))).kind, "old");
  const broken = join(directory(top, "broken"), "skein");
  writeFileSync(broken, "\x00not a program");
  chmodSync(broken, 0o755);
  assert.equal((await findBinary(places({ setting: broken }))).kind, "old");
});

test("a relative directory in PATH is not searched", async () => {
  assert.equal((await findBinary(places({ path: "bin:." }))).kind, "missing");
});

test("Windows is not supported", async () => {
  assert.equal((await findBinary(places({ platform: "win32" }))).kind, "unsupported");
});

test("each problem is explained in a sentence", () => {
  const problems: Exclude<Binary, { kind: "ready" }>[] = [
    { kind: "missing", looked: "PATH" },
    { kind: "missing", looked: "/opt/skein" },
    { kind: "old", program: "/opt/skein", version: undefined },
    { kind: "new", program: "/opt/skein", version: "2.0.0" },
    { kind: "unsupported" },
  ];
  for (const problem of problems) {
    assert.match(explain(problem), /^[^ ].*[^ ]\.$/);
  }
  assert.match(explain({ kind: "old", program: "/opt/skein", version: "0.0.9" }), /^\/opt\/skein 0\.0\.9 is too old/);
});
