// Takes the pictures of the README: the demo, as a newcomer sees it.
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
  const desk = await window.open(path);
  await desk.connected();
  await prepare?.(desk);
  await desk.page.mouse.move(0, 0);
  await desk.page.screenshot({ path: `${PICTURES}${name}.png` });
  await window.close();
}

try {
  await take("changes", {}, "/", async (desk) => {
    await desk.thread("This lets one entry").evaluate((thread) => window.scrollTo(0, thread.offsetTop));
    await desk.page.evaluate(() => window.scrollTo(0, 260));
    await desk.thread("This lets one entry").locator("[data-act=reply]").click();
    await desk.page.keyboard.type("Good. And what is a limit of `0`");
  });
  await take("overview", {}, "/overview");
  await take("work", {}, "/work", async (desk) => {
    await desk.page.getByText("Cache eviction").first().click();
    await desk.page.getByText("Next steps").first().waitFor();
  });
  await take("search", { colorScheme: "dark" }, "/", async (desk) => {
    await desk.page.keyboard.press("/");
    await desk.page.keyboard.type("limit");
    await desk.page.locator(".found .hit").first().waitFor();
    await desk.page.locator(".found mark").first().waitFor();
  });
} finally {
  await browser.close();
  await server.stop();
  workspace.dispose();
}
