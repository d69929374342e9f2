import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import manifest from "../package.json";

interface Contributed {
  commands: { command: string; icon?: string; title: string }[];
  menus: Record<string, { command: string; when?: string }[]>;
}

const contributes = manifest.contributes as unknown as Contributed;
const commands = new Map(contributes.commands.map((each) => [each.command, each]));

function sources(directory: string): string {
  return readdirSync(directory, { withFileTypes: true })
    .map((entry) => {
      const path = join(directory, entry.name);
      return entry.isDirectory() ? sources(path) : readFileSync(path, "utf8");
    })
    .join("\n");
}

test("every contributed command is registered, and every registered one is contributed", () => {
  const registered = new Set(sources("src").match(/(?<=(\[|registerCommand\()\s*")skein\.[a-zA-Z]+(?=")/g));
  assert.deepEqual([...registered].sort(), [...commands.keys()].sort());
});

test("every menu names a contributed command", () => {
  for (const item of Object.values(contributes.menus).flat()) {
    assert.ok(commands.has(item.command), item.command);
  }
});

test("commands in the title of a thread or a view have an icon", () => {
  for (const [menu, items] of Object.entries(contributes.menus)) {
    const needsIcon = menu === "comments/commentThread/title" || menu === "comments/comment/title";
    for (const item of items) {
      assert.ok(!needsIcon || commands.get(item.command)?.icon !== undefined, `${menu}: ${item.command}`);
    }
  }
});

test("commands that need a text are not in the palette, and those on threads are, for the keyboard", () => {
  const hidden = new Set(
    (contributes.menus["commandPalette"] ?? []).filter((item) => item.when === "false").map((item) => item.command),
  );
  const of = (menu: string) => (contributes.menus[menu] ?? []).map((item) => item.command);
  for (const command of [...of("comments/commentThread/context"), ...of("comments/comment/title")]) {
    // The only one of them that works without a text.
    assert.ok(hidden.has(command) || command === "skein.submitReview", command);
  }
  for (const command of of("comments/commentThread/title")) {
    assert.ok(!hidden.has(command), command);
  }
});

test("the extension has no part that could make a request", () => {
  const bundle = readFileSync("out/extension.js", "utf8");
  const modules = new Set([...bundle.matchAll(/require\("([^"]+)"\)/g)].map((match) => match[1]));
  const allowed = ["vscode", "node:child_process", "node:fs", "node:fs/promises", "node:os", "node:path", "node:readline", "node:crypto"];
  assert.deepEqual([...modules].filter((name) => !allowed.includes(name ?? "")), []);
  assert.doesNotMatch(bundle, /\bfetch\(|XMLHttpRequest|WebSocket/);
});

test("a repository cannot choose the program", () => {
  assert.equal(manifest.contributes.configuration.properties["skein.path"].scope, "machine");
  assert.equal(manifest.capabilities.untrustedWorkspaces.supported, "limited");
});

test("files that the extension names are in the package", () => {
  const packaged = readFileSync(".vscodeignore", "utf8");
  const named = [manifest.icon, ...(sources("src").match(/"media", "[^"]+"/g) ?? []).map((words) => words.replace(/"/g, "").replace(", ", "/"))];
  assert.ok(named.length > 1);
  for (const path of named) {
    assert.ok(existsSync(path), path);
  }
  assert.match(packaged, /^!media\/\*\*$/m);
  for (const file of ["README.md", "CHANGELOG.md"]) {
    assert.ok(existsSync(file) && packaged.includes(`!${file}`), file);
  }
});
