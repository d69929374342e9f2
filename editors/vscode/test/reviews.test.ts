import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Cli, type SkeinError } from "../src/cli";
import { Reviews } from "../src/reviews";
import { script, temporaryDirectory } from "./scripts";

/** Answers each command with one written thread, and records the arguments and the input. */
function recorder(): { reviews: Reviews; args: () => string[]; input: () => string } {
  const directory = temporaryDirectory();
  const program = script(
    directory,
    `shift 2; printf '%s\\0' "$@" > ${directory}/args; cat > ${directory}/input
echo '{"threads": [{"id": "a", "action": "done"}], "applied": [{"id": "a", "at": "a.rs:1", "added": [], "outcome": "applied"}]}'`,
  );
  return {
    reviews: new Reviews(new Cli(program, "/r")),
    args: () => readFileSync(join(directory, "args"), "utf8").split("\0").slice(0, -2),
    input: () => readFileSync(join(directory, "input"), "utf8"),
  };
}

test("a comment is sent as JSON by stdin, with lines counted from 1", async () => {
  const { reviews, args, input } = recorder();
  await reviews.add({ path: "a b.rs", lines: { start: 0, end: 2 }, expect: "fn", body: "Why?\n", draft: true });
  assert.deepEqual(args(), ["review", "add", "--from", "-", "--new-store", "--draft"]);
  assert.deepEqual(JSON.parse(input()), [{ file: "a b.rs", body: "Why?\n", line: 1, end_line: 3, expect: "fn" }]);
  await reviews.add({ path: "a.rs", lines: null, expect: "", body: "x", draft: false });
  assert.deepEqual(JSON.parse(input()), [{ file: "a.rs", body: "x" }]);
});

test("an edit names the text that was shown", async () => {
  const { reviews, args, input } = recorder();
  await reviews.edit("a", "c1", "new", "-old\ntext");
  assert.deepEqual(args(), ["review", "edit", "a", "c1", "-m", "-", "--was=-old\ntext"]);
  assert.equal(input(), "new");
});

test("a suggestion is applied with the token of its preview", async () => {
  const { reviews, args } = recorder();
  await reviews.apply("a", "t0", true);
  assert.deepEqual(args(), ["review", "apply", "a", "--token=t0", "--resolve"]);
});

test("all threads that were deleted together are restored by their ids", async () => {
  const { reviews, args } = recorder();
  await reviews.restoreAll(["a", "b"]);
  assert.deepEqual(args(), ["review", "restore", "a", "b"]);
});

test("comments are the user's own if they have the name with which the program signs", async () => {
  const comments = ["Mira", "Tom", "Codex"].map((author) => ({ id: author, author, agent: author === "Codex", body: "x" }));
  const thread = { id: "a", file: "a.md", diagnostics: [], comments };
  const overview = { root: "/r", author: "Mira", waiting_on_reviewer: [], waiting_on_agent: [], drafts: [] };
  const program = script(
    temporaryDirectory(),
    `case "$3" in review) echo '${JSON.stringify({ threads: [thread] })}' ;; *) echo '${JSON.stringify(overview)}' ;; esac`,
  );
  const reviews = new Reviews(new Cli(program, "/r"));
  const own = async () => (await reviews.listFile("a.rs"))[0]?.comments.map((comment) => comment.own);
  assert.deepEqual(await own(), [true, true, false], "an older program does not tell the name");
  await reviews.overview();
  assert.deepEqual(await own(), [true, false, false]);
});

const binary = process.env["SKEIN_BIN"];

test("the real program adds, lists, replies, deletes and restores", { skip: binary === undefined }, async () => {
  const home = temporaryDirectory();
  const root = join(home, "work");
  mkdirSync(root);
  execFileSync("git", ["init", "--quiet", root]);
  writeFileSync(join(root, "a.rs"), "fn main() {}\n");
  process.env["HOME"] = home;
  process.env["SKEIN_AUTHOR"] = "Mira";
  const reviews = new Reviews(new Cli(binary as string, root));
  const comment = { path: "a.rs", lines: { start: 0, end: 0 }, expect: "fn main", body: "Why?", draft: false };
  const { id } = await reviews.add(comment);
  await reviews.reply(id, "Because.", false);
  const [listed] = await reviews.listFile("a.rs");
  assert.deepEqual(
    listed?.comments.map((each) => each.body),
    ["Why?", "Because."],
  );
  assert.equal(listed?.placement?.start_line, 0);
  await reviews.delete(id);
  assert.deepEqual(await reviews.listFile("a.rs"), []);
  await reviews.restore(id);
  assert.equal((await reviews.overview()).waiting_on_agent.length, 1);
  const wrong = reviews.add({ ...comment, expect: "fn other" });
  await assert.rejects(wrong, (error: SkeinError) => error.kind === "refused" && /does not contain/.test(error.text));
});
