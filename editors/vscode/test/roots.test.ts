import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Roots } from "../src/roots";
import { script, temporaryDirectory } from "./scripts";
import { until } from "./until";
import { openFolders } from "./vscode";

/** Two folders, and a program that reads a folder unless it contains a file `broken`. */
function scene(): { folders: [string, string]; roots: Roots; errors: unknown[]; log: string } {
  const directory = realpathSync(temporaryDirectory());
  const folders: [string, string] = [join(directory, "one"), join(directory, "two")];
  folders.forEach((folder) => mkdirSync(folder));
  const log = join(directory, "log");
  const program = script(
    directory,
    `[ "$3" != watch ] || exec sleep 100
echo "$2" >> ${log}
if [ -e "$2/broken" ]; then echo "Error: broken" >&2; exit 2; fi
echo "{\\"root\\": \\"$2\\", \\"waiting_on_reviewer\\": [], \\"waiting_on_agent\\": [], \\"drafts\\": []}"`,
  );
  const roots = new Roots(program, () => undefined);
  const errors: unknown[] = [];
  roots.onError((error) => errors.push(error));
  return { folders, roots, errors, log };
}

const paths = (roots: Roots) => roots.all.map((root) => root.path).sort();

test("a folder that cannot be read is reported once and tried again, and the others work", async (t) => {
  const { folders, roots, errors, log } = scene();
  t.after(() => roots.dispose());
  const [one, two] = folders;
  writeFileSync(join(two, "broken"), "");
  openFolders(one, two);
  await until(() => paths(roots).length > 0);
  assert.deepEqual(paths(roots), [one]);
  const [root] = roots.all;
  let changes = 0;
  roots.onDidChange(() => (changes += 1));
  const tries = () => readFileSync(log, "utf8").split(two).length;
  const before = tries();
  await until(() => tries() > before + 1);
  assert.equal(changes, 0, "nothing was added");
  rmSync(join(two, "broken"));
  await until(() => paths(roots).length === 2);
  assert.equal(errors.length, 1);
  assert.equal(roots.get(one), root);
});

test("a root stays when its folder cannot be read while another one is added", async (t) => {
  const { folders, roots } = scene();
  t.after(() => roots.dispose());
  const [one, two] = folders;
  openFolders(one);
  await until(() => paths(roots).length === 1);
  writeFileSync(join(one, "broken"), "");
  openFolders(one, two);
  await until(() => paths(roots).length === 2);
  openFolders(two);
  await until(() => paths(roots).length === 1);
  assert.deepEqual(paths(roots), [two]);
});

test("no root is opened after dispose", async () => {
  const { folders, roots, log } = scene();
  openFolders(...folders);
  await until(() => existsSync(log));
  const update = roots.update();
  roots.dispose();
  await update;
  assert.deepEqual(roots.all, []);
});
