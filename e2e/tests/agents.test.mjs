// Real agents with Skein installed: their work is recorded in checkpoints, and the checkpoints reach their model.
import assert from "node:assert/strict";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentScene, skein } from "../lib/agent-scene.mjs";

const BEFORE = "The lamp is lit, and the wick is still to be trimmed";
const PROMPT = "Please trim the wick";
const ANSWER = "The wick is trimmed.";
const SUBJECT = "wick: trim it";

function scene(name, body, options) {
  agentScene(name, async (context) => {
    await context.workspace.skein("checkpoint", "save", "lamp", "-m", BEFORE);
    await body(context);
  }, options);
}

// The auto-checkpoints, the oldest first.
function autoCheckpoints(workspace) {
  const dir = workspace.path("workspace/threads");
  const names = readdirSync(dir).filter((name) => /^T-.*\.json$/.test(name)).sort();
  const all = names.map((name) => JSON.parse(readFileSync(join(dir, name), "utf8")));
  return all.filter(({ type }) => type === "auto-checkpoint");
}

const withTrigger = (workspace, trigger) => autoCheckpoints(workspace).filter(({ metadata }) => metadata.trigger === trigger);

// Every file below some directories, with its content.
function files(...dirs) {
  const found = {};
  const walk = (path) => {
    if (!existsSync(path)) return;
    if (lstatSync(path).isDirectory()) {
      for (const name of readdirSync(path)) walk(join(path, name));
    } else {
      found[path] = readFileSync(path, "utf8");
    }
  };
  dirs.forEach(walk);
  return found;
}

const SETTINGS = [".claude", ".codex", ".agents", ".opencode", ".gemini", ".git/info", ".git/hooks"];
const settings = (workspace) => files(...SETTINGS.map((path) => workspace.path(path)));

function work(agent) {
  return [
    agent.write("wick.txt", "trimmed\n"),
    agent.shell(`git add wick.txt && git  commit --quiet -m "${SUBJECT}"`),
    agent.shell("echo git commit -m nothing; git commit -m nothing; true"),
    agent.shell("skein checkpoint auto --trigger by-hand --json > saved.json"),
    { text: `${ANSWER}\n\nThere is more to say about it.` },
  ];
}

scene("the agent gets the brief, and its commit is recorded once", async ({ agent, model, workspace, name }) => {
  await skein(agent, "install", name);
  await skein(agent, "install", "git");
  model.play(...work(agent));
  const session = await agent.ask(PROMPT);
  const first = JSON.stringify(model.turns[0]);
  assert.equal(first.split(BEFORE).length - 1, 1, "the brief is in the first request exactly once");
  const head = (await workspace.git("rev-parse", "HEAD")).trim();
  assert.equal((await workspace.git("log", "-1", "--format=%s")).trim(), SUBJECT, "the agent did commit");
  const commits = withTrigger(workspace, "git-commit");
  assert.equal(commits.length, 1, JSON.stringify(autoCheckpoints(workspace), null, 2));
  const [one] = commits;
  assert.ok(head.startsWith(one.git.current_commit), `${one.git.current_commit} is ${head}`);
  assert.deepEqual(one.files_touched, ["wick.txt"]);
  assert.match(one.conversation_summary, new RegExp(SUBJECT));
  assert.match(one.conversation_summary, new RegExp(PROMPT));
  assert.equal(one.session_id, session);
  assert.equal(JSON.parse(workspace.read("saved.json")).session_id, session, "a checkpoint that the agent saves has its session id");
});

scene("a compaction is recorded, and the brief reaches the model", async ({ agent, model, workspace, name }) => {
  await skein(agent, "install", name);
  const conversation = await agent.open();
  try {
    model.play({ text: ANSWER });
    await conversation.say(PROMPT);
    await conversation.compact();
    const [one, ...more] = withTrigger(workspace, "pre-compact");
    assert.deepEqual(more, []);
    assert.match(one?.conversation_summary ?? "nothing was written", new RegExp(PROMPT));
    const mentions = model.requests.filter(({ body }) => JSON.stringify(body).includes(one.thread_id)).length;
    model.play({ text: "Going on." });
    await conversation.say("Go on");
    assert.ok(mentions > 0 || JSON.stringify(model.turns).includes(one.thread_id), "the brief reaches the model, in the compaction or after it");
  } finally {
    await conversation.close();
  }
}, { isConversation: true });

scene("an agent works without the Skein program, and uninstall restores every file", async ({ agent, model, workspace, name }) => {
  workspace.write(".claude/settings.local.json", '{\n  "permissions": { "deny": ["WebFetch"] }\n}\n');
  const before = settings(workspace);
  await skein(agent, "install", name);
  const installed = settings(workspace);
  assert.notDeepEqual(installed, before);
  await skein(agent, "install", name);
  assert.deepEqual(settings(workspace), installed, "a second install changes nothing");

  const { PATH } = agent.env;
  agent.env.PATH = workspace.env.PATH;
  model.play(agent.shell("git commit --allow-empty -m alone"), { text: ANSWER });
  await agent.ask(PROMPT);
  assert.equal((await workspace.git("log", "-1", "--format=%s")).trim(), "alone", "the agent did commit");
  assert.ok(!JSON.stringify(model.turns).includes(BEFORE));
  assert.deepEqual(autoCheckpoints(workspace), []);

  agent.env.PATH = PATH;
  await skein(agent, "uninstall", name);
  const after = settings(workspace);
  // OpenCode writes this file into every `.opencode` folder.
  delete after[workspace.path(".opencode/.gitignore")];
  assert.deepEqual(after, before);
});
