// Real agents as clients of `skein mcp`: they list, take and answer threads, and resume and save work.
import assert from "node:assert/strict";
import { agentScene, skein } from "../lib/agent-scene.mjs";
import { until } from "../lib/until.mjs";
import { REVIEWER } from "../lib/workspace.mjs";

const TITLES = { "claude-code": "Claude Code", codex: "Codex", opencode: "OpenCode", "gemini-cli": "Gemini CLI" };
const TOOLS = ["review_threads", "review_next", "review_reply", "review_comment", "work_resume", "work_save"];
const PROMPT = "Please answer the review";
const QUESTION = "Is the wick trimmed?";
const REPLY = "It is trimmed now.";
const OPINION = "The title says nothing.";
const BEFORE = "The lamp is lit.";
const SUMMARY = "The wick was trimmed.";

// The texts of the tool results that a request to the model contains.
function resultTexts(messages) {
  const texts = [];
  const text = (content) => (typeof content === "string" ? content : content.map((part) => part.text ?? "").join(""));
  for (const { role, content } of messages) {
    if (role === "tool") texts.push(text(content));
    for (const part of Array.isArray(content) ? content : []) {
      if (part.type === "tool_result") texts.push(text(part.content));
    }
  }
  return texts;
}

agentScene("each tool works, and what is written is signed with the name of the agent", async ({ agent, model, workspace, name }) => {
  await skein(agent, "install", name, "--mcp");
  await workspace.skein("checkpoint", "save", "lamp", "-m", BEFORE, "--step", "trim the wick");
  const { threads: [{ id }] } = JSON.parse(await workspace.skein("review", "add", "README.md:1", "-m", QUESTION, "--json"));
  model.play(
    agent.call("review_threads", {}),
    agent.call("review_next", {}),
    agent.call("review_reply", { replies: [{ id, body: REPLY, then: "resolve" }] }),
    agent.call("review_comment", { comments: [{ path: "README.md", line: 1, expect: "Plain", body: OPINION }] }),
    agent.call("work_resume", { what: "steps" }),
    agent.call("work_save", { summary: SUMMARY }),
    { text: "Done." },
  );
  await agent.ask(PROMPT);

  // Claude Code tells only the names at first, and Codex only the name of the server; the model asks for the rest.
  const first = JSON.stringify(model.requests.find(({ body }) => body.tools?.length > 0));
  for (const name of TOOLS) {
    const { tool, namespace } = agent.call(name);
    assert.ok(first.includes(namespace ?? tool), `${name} is offered`);
  }
  const results = resultTexts(model.turns.at(-1));
  assert.equal(results.length, 6, JSON.stringify(results, null, 2));
  const expected = [QUESTION, QUESTION, id.slice(0, 4), "README.md:1", "trim the wick", "Saved"];
  expected.forEach((text, at) => assert.ok(results[at].includes(text), `${TOOLS[at]}: ${results[at]}`));
  for (const result of results) assert.ok(!result.includes(workspace.base), `no absolute path: ${result}`);

  const comments = [];
  for (const thread of (await workspace.threads()).threads) {
    const shown = JSON.parse(await workspace.skein("review", "show", thread.id, "--json"));
    comments.push(...shown.comments.map(({ author, body }) => `${author}: ${body}`));
  }
  const author = TITLES[name];
  assert.deepEqual(comments.sort(), [`${REVIEWER}: ${QUESTION}`, `${author}: ${OPINION}`, `${author}: ${REPLY}\n\nProposes to resolve this thread.`].sort());
  const { threads: [saved] } = JSON.parse(await workspace.skein("checkpoint", "list", "--json"));
  assert.equal(saved.title, SUMMARY);
});

agentScene("a reviewer who submits during a wait is answered in the same turn", async ({ agent, model, workspace, name }) => {
  await skein(agent, "install", name, "--mcp");
  model.play(agent.call("review_next", { wait_seconds: 40 }), { text: "Done." });
  const turn = agent.ask(PROMPT);
  await until(() => model.turns.length > 0, "the agent calls its model", 120_000);
  await workspace.skein("review", "add", "README.md:1", "--draft", "-m", QUESTION);
  await workspace.skein("review", "submit");
  await turn;
  assert.match(resultTexts(model.turns.at(-1))[0], new RegExp(QUESTION.replace("?", "\\?")));
});

agentScene("uninstall removes the server", async ({ agent, model, name }) => {
  await skein(agent, "install", name, "--mcp");
  await skein(agent, "uninstall", name, "--mcp");
  model.play({ text: "Done." });
  await agent.ask(PROMPT);
  assert.ok(!JSON.stringify(model.requests).includes("review_next"));
});
