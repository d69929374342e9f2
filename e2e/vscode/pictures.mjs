// Takes the screenshots of the demo in VS Code for docs/vscode.md.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Workspace } from "../lib/workspace.mjs";
import { CodeWindow } from "./lib/code-window.mjs";
import { adopt, launch, startServer } from "./lib/setup.mjs";

const PICTURES = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));
const SIZE = { width: 1180, height: 860 };
// In the demo.
const THREAD = "This lets one entry";
const ANSWER = "Right. It is";
const SUGGESTED = "This is no HTTP";
const SUGGESTED_ANSWER = "Noted for the release";

const server = await startServer();
const workspace = adopt(await Workspace.demo(), server);
const browser = await launch(SIZE);
mkdirSync(PICTURES, { recursive: true });

async function take(name, theme, prepare) {
  server.configure({ "workbench.colorTheme": theme });
  const code = await CodeWindow.open(browser.context, server.address(workspace.dir));
  await code.status.getByText(/on you/).waitFor();
  await prepare(code);
  // Where nothing has a tooltip.
  await code.page.mouse.move(24, SIZE.height / 2);
  await code.page.screenshot({ path: `${PICTURES}${name}.png` });
  await code.close();
}

try {
  await take("vscode-thread", "Light Modern", async (code) => {
    await code.command("Skein: Focus on Reviews View");
    await code.tree(ANSWER).first().click();
    await code.reply(code.thread(THREAD));
    await code.type("Good. And what is a limit of `0`");
  });
  await take("vscode-work", "Dark Modern", async (code) => {
    await code.command("Skein: Focus on Work View");
    await code.tree(SUGGESTED_ANSWER).first().click();
    await code.comment(SUGGESTED).waitFor();
  });
} finally {
  await browser.close();
  await server.stop();
  workspace.dispose();
}
