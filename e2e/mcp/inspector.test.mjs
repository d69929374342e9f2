// The inspector of the Model Context Protocol as a client of `skein mcp`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { before, after, test } from "node:test";
import { promisify } from "node:util";
import { SKEIN, Workspace } from "../lib/workspace.mjs";

const run = promisify(execFile);
const TIMEOUT = 90_000;
const QUESTION = "Is the wick trimmed?";
let workspace;
let thread;

before(async () => {
  workspace = await Workspace.plain();
  await workspace.skein("checkpoint", "save", "lamp", "-m", "The lamp is lit.");
  const { threads } = JSON.parse(await workspace.skein("review", "add", "README.md:1", "-m", QUESTION, "--json"));
  thread = threads[0].id;
});

after(() => workspace.dispose());

// Runs one request, and returns its result.
async function inspect(method, ...args) {
  const { stdout, stderr } = await runInspector("--method", method, ...args);
  assert.equal(stderr, "", "the inspector has no complaint");
  return JSON.parse(stdout);
}

async function runInspector(...args) {
  const { SKEIN_AUTHOR: _, ...env } = workspace.env;
  return run(process.env.INSPECTOR_BIN, ["--cli", SKEIN, "mcp", ...args], { cwd: workspace.dir, env, timeout: TIMEOUT });
}

// Calls a tool, and returns its text.
async function call(tool, ...args) {
  const { content } = await inspect("tools/call", "--tool-name", tool, ...args.flatMap((arg) => ["--tool-arg", arg]));
  return content.map(({ text }) => text).join("");
}

test("every schema is portable", async () => {
  const { tools } = await inspect("tools/list", "--strict");
  assert.equal(tools.length, 6);
});

test("threads are listed, taken and answered", async () => {
  assert.match(await call("review_threads"), /README\.md:1/);
  assert.ok((await call("review_next")).includes(QUESTION));
  const replies = JSON.stringify([{ id: thread, body: "It is." }]);
  assert.match(await call("review_reply", `replies=${replies}`), /replied/);
  const comments = JSON.stringify([{ path: "README.md", body: "It is short." }]);
  assert.match(await call("review_comment", `comments=${comments}`), /added/);
});

test("work is resumed and saved", async () => {
  assert.match(await call("work_resume"), /The lamp is lit/);
  assert.match(await call("work_save", "summary=The wick is trimmed."), /Saved/);
});

test("an error of a tool is a text", async () => {
  const { content, isError } = await inspect("tools/call", "--tool-name", "work_resume", "--tool-arg", "id=nope").catch(({ stdout }) => JSON.parse(stdout));
  assert.ok(isError);
  assert.match(content[0].text, /^Error: .*nope/);
});

test("prompts and resources are listed and read", async () => {
  const { prompts } = await inspect("prompts/list");
  assert.deepEqual(prompts.map(({ name }) => name), ["review", "handoff", "resume"]);
  const { messages } = await inspect("prompts/get", "--prompt-name", "review");
  assert.match(messages[0].content.text, /review_next/);
  const { resources } = await inspect("resources/list");
  for (const { uri } of resources) {
    const { contents } = await inspect("resources/read", "--uri", uri);
    assert.ok(contents[0].text.length > 0, uri);
  }
  const { resourceTemplates } = await inspect("resources/templates/list");
  assert.deepEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate), ["skein://thread/{id}"]);
});
