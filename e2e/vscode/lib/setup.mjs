// What tests, measurements and pictures have in common: the server of a reviewer, and a browser that notices requests to other hosts.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Browser } from "../../lib/browser.mjs";
import { REVIEWER } from "../../lib/workspace.mjs";
import { CodeServer } from "./code-server.mjs";
import { TIMEOUT } from "./until.mjs";

export const EXTENSION = process.env.SKEIN_EXTENSION || fileURLToPath(new URL("../../../editors/vscode", import.meta.url));

// A server whose user is the reviewer by the settings of git. The variable of an agent is set, as in a window that was
// started from the terminal of an agent.
export async function startServer(options = {}) {
  const { extensions = [EXTENSION], env = {}, ...more } = options;
  const started = await CodeServer.start({ extensions, env: { CLAUDECODE: "1", ...env }, ...more });
  writeFileSync(join(started.env.HOME, ".gitconfig"), `[user]\n\tname = ${REVIEWER}\n\temail = mira@example.com\n`);
  return started;
}

// Lets the command line use the home directory of the server.
export function adopt(workspace, { env }) {
  for (const name of Object.keys(workspace.env).filter((name) => /^(HOME|XDG_)/.test(name))) workspace.env[name] = env[name];
  return workspace;
}

// Windows of the same browser share its cache, so that the second one opens sooner.
export async function launch(viewport = { width: 1360, height: 900 }) {
  const browser = await Browser.launch();
  const context = await browser.chromium.newContext({ viewport });
  context.setDefaultTimeout(TIMEOUT);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const requests = [];
  context.on("request", (request) => {
    const { protocol, hostname, href } = new URL(request.url());
    if (/^(http|ws)/.test(protocol) && hostname !== "127.0.0.1") requests.push(href);
  });
  return { context, requests, close: () => browser.close() };
}
