// Real agents with Skein installed into them: what they do is recorded, and what was recorded reaches their model.
import assert from "node:assert/strict";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ClaudeCode, OpenCode } from "../lib/agent.mjs";
import { FakeModel } from "../lib/fake-model.mjs";
import { agents } from "../lib/packages.mjs";
import { Workspace } from "../lib/workspace.mjs";

const LONGEST = 90_000;
const BEFORE = "The lamp is lit, and the wick is still to be trimmed";
const ASKED = "Please trim the wick";
const SAID = "The wick is trimmed.";
const SUBJECT = "wick: trim it";

const { programs, missing } = await agents();
if (missing) console.error(`SKIPPED: the real agents were NOT tried, for want of their packages: ${missing}`);

function scene(name, body) {
  for (const [Agent, program] of [[ClaudeCode, programs?.claude], [OpenCode, programs?.opencode]]) {
    test(`${Agent.name}: ${name}`, { skip: missing, timeout: LONGEST }, async (t) => {
      const model = await FakeModel.start();
      const workspace = await Workspace.plain();
      t.after(async () => {
        await model.stop();
        workspace.dispose();
      });
      const agent = new Agent(program, workspace, model);
      await workspace.skein("checkpoint", "save", "lamp", "-m", BEFORE);
      await body({ agent, model, workspace, name: Agent.name });
      assert.deepEqual(model.strays, [], "nobody left the machine");
    });
  }
}

// Skein, where the agent finds it.
const skein = async (agent, ...args) => {
  const { workspace } = agent;
  const { env } = workspace;
  workspace.env = { ...env, PATH: agent.env.PATH };
  try {
    return await workspace.skein(...args);
  } finally {
    workspace.env = env;
  }
};

// The checkpoints that nobody asked for, the oldest first.
function written(workspace) {
  const dir = workspace.path("workspace/threads");
  const names = readdirSync(dir).filter((name) => /^T-.*\.json$/.test(name)).sort();
  const all = names.map((name) => JSON.parse(readFileSync(join(dir, name), "utf8")));
  return all.filter(({ type }) => type === "auto-checkpoint");
}

const about = (workspace, trigger) => written(workspace).filter(({ metadata }) => metadata.trigger === trigger);

// Every file below some directories, with its content.
function files(...dirs) {
  const found = {};
  const look = (path) => {
    if (!existsSync(path)) return;
    if (lstatSync(path).isDirectory()) {
      for (const name of readdirSync(path)) look(join(path, name));
    } else {
      found[path] = readFileSync(path, "utf8");
    }
  };
  dirs.forEach(look);
  return found;
}

const SETTINGS = [".claude", ".opencode", ".git/info", ".git/hooks"];
const settings = (workspace) => files(...SETTINGS.map((path) => workspace.path(path)));

function work(agent) {
  return [
    agent.write("wick.txt", "trimmed\n"),
    agent.shell(`git add wick.txt && git  commit --quiet -m "${SUBJECT}"`),
    agent.shell("echo git commit -m nothing; git commit -m nothing; true"),
    agent.shell("skein checkpoint auto --trigger by-hand --json > saved.json"),
    { text: `${SAID}\n\nThere is more to say about it.` },
  ];
}

scene("the agent is told where the work stands, and its commit is recorded once", async ({ agent, model, workspace, name }) => {
  await skein(agent, "install", name);
  await skein(agent, "install", "git");
  model.play(...work(agent));
  const session = await agent.ask(ASKED);
  const first = JSON.stringify(model.turns[0]);
  assert.equal(first.split(BEFORE).length - 1, 1, "it is told, and once");
  const head = (await workspace.git("rev-parse", "HEAD")).trim();
  assert.equal((await workspace.git("log", "-1", "--format=%s")).trim(), SUBJECT, "the agent did commit");
  const commits = about(workspace, "git-commit");
  assert.equal(commits.length, 1, JSON.stringify(written(workspace), null, 2));
  const [one] = commits;
  assert.ok(head.startsWith(one.git.current_commit), `${one.git.current_commit} is ${head}`);
  assert.deepEqual(one.files_touched, ["wick.txt"]);
  assert.match(one.conversation_summary, new RegExp(SUBJECT));
  assert.match(one.conversation_summary, new RegExp(ASKED));
  assert.equal(one.session_id, session);
  assert.equal(JSON.parse(workspace.read("saved.json")).session_id, session, "what the agent saves by itself is of its session");
});

scene("a compaction is recorded, and the work is known after it", async ({ agent, model, workspace, name }) => {
  await skein(agent, "install", name);
  const talk = await agent.open();
  try {
    model.play({ text: SAID });
    await talk.say(ASKED);
    await talk.compact();
    const [one, ...more] = about(workspace, "pre-compact");
    assert.deepEqual(more, []);
    assert.match(one?.conversation_summary ?? "nothing was written", new RegExp(ASKED));
    const told = model.requests.filter(({ body }) => JSON.stringify(body).includes(one.thread_id)).length;
    model.play({ text: "Going on." });
    await talk.say("Go on");
    assert.ok(told > 0 || JSON.stringify(model.turns).includes(one.thread_id), "the brief reaches the model, in the compaction or after it");
  } finally {
    await talk.close();
  }
});

scene("nothing breaks where Skein is gone, and uninstalling leaves every file as it was", async ({ agent, model, workspace, name }) => {
  workspace.write(".claude/settings.local.json", '{\n  "permissions": { "deny": ["WebFetch"] }\n}\n');
  const before = settings(workspace);
  await skein(agent, "install", name);
  const installed = settings(workspace);
  assert.notDeepEqual(installed, before);
  await skein(agent, "install", name);
  assert.deepEqual(settings(workspace), installed, "once more changes nothing");

  const { PATH } = agent.env;
  agent.env.PATH = workspace.env.PATH;
  model.play(agent.shell("git commit --allow-empty -m alone"), { text: SAID });
  await agent.ask(ASKED);
  assert.equal((await workspace.git("log", "-1", "--format=%s")).trim(), "alone", "the agent did commit");
  assert.ok(!JSON.stringify(model.turns).includes(BEFORE));
  assert.deepEqual(written(workspace), []);

  agent.env.PATH = PATH;
  await skein(agent, "uninstall", name);
  const after = settings(workspace);
  // OpenCode writes this by itself wherever it finds a folder of its own.
  delete after[workspace.path(".opencode/.gitignore")];
  assert.deepEqual(after, before);
});
