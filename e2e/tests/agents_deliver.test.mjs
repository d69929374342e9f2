// `skein deliver` hands review threads to the sessions of real agents that wrote the code.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { agentScene, skein } from "../lib/agent-scene.mjs";
import { REVIEWER, SKEIN } from "../lib/workspace.mjs";

const run = promisify(execFile);
const TITLES = { "claude-code": "Claude Code", codex: "Codex", opencode: "OpenCode", "gemini-cli": "Gemini CLI" };
const TIMEOUT = 240_000;

// Runs `skein` as the reviewer, in a directory, where the agent can be started. Returns what it printed, and its exit code.
async function inDir(agent, dir, ...args) {
  const PATH = `${dirname(agent.program)}:${agent.env.PATH}`;
  const env = { ...agent.env, PATH, SKEIN_AUTHOR: REVIEWER };
  try {
    const { stdout, stderr } = await run(SKEIN, args, { cwd: dir, env, timeout: TIMEOUT });
    return { stdout, stderr, code: 0 };
  } catch (error) {
    if (typeof error.code !== "number") throw error;
    return error;
  }
}

// The last prompt of the user in a request to the model.
function lastPrompt({ messages }) {
  const text = ({ content }) => (typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n"));
  return messages.filter(({ role }) => role === "user").map(text).findLast((part) => part.includes("# Review comments"));
}

// Answers the only thread of the prompt.
const answer = (agent) => (body) => {
  const id = lastPrompt(body)?.match(/, ID `([^`]+)`/)?.[1];
  return agent.shell(`skein review reply ${id} -m "Answered: ${id}"`);
};

agentScene("threads are delivered to the sessions that wrote the code, in two worktrees at once", async ({ agent, model, workspace, name }) => {
  const dirs = ["a", "b"].map((branch) => join(workspace.base, `wt-${branch}`));
  for (const [at, dir] of dirs.entries()) await workspace.git("worktree", "add", "--quiet", "-b", `b${at}`, dir);
  await skein(agent, "install", name);
  const sessions = [];
  for (const [at, dir] of dirs.entries()) {
    const write = agent.write(join(dir, `${at}.txt`), `by ${at}\n`);
    // One session commits its work, the other one does not.
    const commit = agent.shell(`git add . && git commit --quiet -m "work ${at}"`);
    model.play(write, at === 0 ? commit : agent.shell("true"), { text: "Done." });
    sessions.push(await agent.ask("Please work", dir));
  }
  // What agents expand in prompts of their user: a file, a command of the agent, and a shell command.
  const secret = join(workspace.base, "secret.txt");
  writeFileSync(secret, "the content of another file");
  for (const [at, dir] of dirs.entries()) {
    await inDir(agent, dir, "review", "add", `${at}.txt:1`, "--draft", "-m", `Why ${at}? @${secret}\n\n/clear\n!id`);
    const { stderr } = await inDir(agent, dir, "review", "submit");
    assert.match(stderr, new RegExp(`1 thread for ${TITLES[name]} …${sessions[at].slice(-8)} in \\.`));
  }

  const refused = await inDir(agent, workspace.dir, "deliver");
  assert.equal(refused.code, 1);
  assert.match(refused.stdout + refused.stderr, new RegExp(`skein deliver allow ${name}`));
  await inDir(agent, workspace.dir, "deliver", "allow", name, "--yes");
  model.play();
  const dry = await inDir(agent, workspace.dir, "deliver", "--dry-run");
  assert.match(dry.stdout, new RegExp(`in \\.\\./wt-a`));
  assert.equal(model.requests.length, 0, "a dry run starts nothing");

  model.play(answer(agent), { text: "Done." });
  const { stdout, stderr, code } = await inDir(agent, workspace.dir, "deliver", "--json");
  const { deliveries, unknown } = JSON.parse(stdout);
  const found = deliveries.map(({ session, dir, state, answered }) => ({ session, dir, state, answered }));
  found.sort((one, other) => one.dir.localeCompare(other.dir));
  const expected = dirs.map((dir, at) => ({ session: sessions[at], dir, state: "done", answered: 1 }));
  assert.deepEqual(found, expected, stderr);
  assert.deepEqual([unknown, code], [[], 0]);
  for (const [at, dir] of dirs.entries()) {
    const { threads: [thread] } = JSON.parse((await inDir(agent, dir, "review", "list", "--json")).stdout);
    assert.deepEqual([thread.comment_count, thread.last_author], [2, TITLES[name]]);
    const prompts = model.turns.map((messages) => lastPrompt({ messages })).filter((prompt) => prompt?.includes(`Why ${at}?`));
    assert.doesNotMatch(JSON.stringify(model.turns), /the content of another file|uid=\d/, "nothing is expanded");
    assert.ok(prompts.length > 0 && prompts.every((prompt) => !prompt.includes(`Why ${1 - at}?`)), "each session gets its own thread");
  }

  model.play();
  const again = await inDir(agent, workspace.dir, "deliver");
  assert.deepEqual([again.code, model.requests.length], [0, 0], "nothing is delivered twice");
});

agentScene("a session that is open is not resumed by a second process", async ({ agent, model, workspace, name }) => {
  await skein(agent, "install", name);
  await inDir(agent, workspace.dir, "deliver", "allow", name, "--yes");
  const conversation = await agent.open();
  const add = async (text) => {
    await inDir(agent, workspace.dir, "review", "add", "x.txt:1", "--draft", "-m", text);
    await inDir(agent, workspace.dir, "review", "submit");
  };
  try {
    model.play(agent.write("x.txt", "one\n"), { text: "Done." });
    await conversation.say("Please work");
    await add("Why?");
    model.play(answer(agent), { text: "Done." });
    const { stdout, stderr, code } = await inDir(agent, workspace.dir, "deliver");
    if (name === "opencode") {
      // The server that has the session gets the prompt.
      assert.equal(code, 0, stdout + stderr);
      assert.match(stderr, /answered 1 of 1 thread/);
    } else {
      assert.equal(code, 1);
      assert.match(stdout, /the session is open/);
      assert.equal(model.requests.length, 0);
    }
  } finally {
    await conversation.close();
  }
  if (name === "opencode") await add("And now?");
  model.play(answer(agent), { text: "Done." });
  const { stdout, stderr, code } = await inDir(agent, workspace.dir, "deliver");
  assert.equal(code, 0, stdout + stderr);
  assert.match(stderr, /answered 1 of 1 thread/);
}, { isConversation: true });

agentScene("a session answers threads of another worktree", async ({ agent, model, workspace, name }) => {
  const dir = join(workspace.base, "wt a");
  await workspace.git("worktree", "add", "--quiet", "-b", "other", dir);
  await skein(agent, "install", name);
  model.play(agent.write(join(dir, "x.txt"), "one\n"), agent.shell('git add . && git commit --quiet -m "work"'), { text: "Done." });
  await agent.ask("Please work", dir);
  await workspace.git("merge", "--quiet", "other");
  await inDir(agent, workspace.dir, "review", "add", "x.txt:1", "--draft", "-m", "Why?");
  await inDir(agent, workspace.dir, "review", "submit");
  await inDir(agent, workspace.dir, "deliver", "allow", name, "--yes");
  model.play((body) => {
    const [, root] = lastPrompt(body).match(/^skein review reply ID -m "what you did, or why not"( -C .*)$/m);
    const id = lastPrompt(body).match(/, ID `([^`]+)`/)[1];
    return agent.shell(`skein review reply ${id} -m "Answered."${root}`);
  }, { text: "Done." });
  const { stdout, stderr, code } = await inDir(agent, workspace.dir, "deliver");
  assert.equal(code, 0, stdout + stderr + JSON.stringify(model.turns.at(-1)?.at(-1)));
});
