// A test that runs with each real agent, in a workspace and with a fake model of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ClaudeCode, Codex, GeminiCli, OpenCode } from "./agent.mjs";
import { FakeModel } from "./fake-model.mjs";
import { agents } from "./packages.mjs";
import { Workspace } from "./workspace.mjs";

const TEST_TIMEOUT = 300_000;

const { programs, missing } = await agents();
if (missing) console.error(`SKIPPED: the real agents were NOT tested, because their packages are missing: ${missing}`);

const AGENTS = [
  [ClaudeCode, programs?.claude],
  [Codex, programs?.codex],
  [OpenCode, programs?.opencode],
  [GeminiCli, programs?.gemini],
];

// With `isConversation`, only agents that can be given several prompts are used.
export function agentScene(name, body, { isConversation = false } = {}) {
  for (const [Agent, program] of AGENTS) {
    if (isConversation && !Agent.prototype.open) continue;
    test(`${Agent.name}: ${name}`, { skip: missing, timeout: TEST_TIMEOUT }, async (t) => {
      const model = await FakeModel.start();
      const workspace = await Workspace.plain();
      t.after(async () => {
        await model.stop();
        workspace.dispose();
      });
      const agent = new Agent(program, workspace, model);
      await body({ agent, model, workspace, name: Agent.name });
      assert.deepEqual(model.blockedHosts, [], "no request left the machine");
    });
  }
}

// Runs Skein with the `PATH` of the agent.
export async function skein(agent, ...args) {
  const { workspace } = agent;
  const { env } = workspace;
  workspace.env = { ...env, PATH: agent.env.PATH };
  try {
    return await workspace.skein(...args);
  } finally {
    workspace.env = env;
  }
}
