// Takes the screenshots of the demo for the README.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Browser } from "./lib/browser.mjs";
import { Server } from "./lib/server.mjs";
import { Workspace } from "./lib/workspace.mjs";

const PICTURES = fileURLToPath(new URL("../docs/pictures/", import.meta.url));
const SIZE = { width: 1180, height: 760 };

const workspace = await Workspace.demo();
const server = await Server.start(workspace);
const browser = await Browser.launch();
mkdirSync(PICTURES, { recursive: true });

async function take(name, how, path, prepare) {
  const window = await browser.window(server, { viewport: SIZE, ...how });
  const ui = await window.open(path);
  await ui.connected();
  await prepare?.(ui);
  await ui.page.mouse.move(0, 0);
  await ui.page.screenshot({ path: `${PICTURES}${name}.png` });
  await window.close();
}

try {
  await take("changes", {}, "/", async (ui) => {
    await ui.thread("This lets one entry").evaluate((thread) => window.scrollTo(0, thread.offsetTop));
    await ui.page.evaluate(() => window.scrollTo(0, 260));
    await ui.thread("This lets one entry").locator("[data-act=reply]").click();
    await ui.page.keyboard.type("Good. And what is a limit of `0`");
  });
  await take("overview", {}, "/overview");
  await take("work", {}, "/work", async (ui) => {
    await ui.page.getByText("Cache eviction").first().click();
    await ui.page.getByText("Next steps").first().waitFor();
  });
  await take("search", { colorScheme: "dark" }, "/", async (ui) => {
    await ui.page.keyboard.press("/");
    await ui.page.keyboard.type("limit");
    await ui.page.locator(".found .hit").first().waitFor();
    await ui.page.locator(".found mark").first().waitFor();
  });
} finally {
  await browser.close();
  await server.stop();
  workspace.dispose();
}
