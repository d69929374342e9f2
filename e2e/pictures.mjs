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
  await take("threads", {}, "/threads");
  await take("split", { colorScheme: "dark" }, "/", async (desk) => {
    await desk.button("Split").click();
    await desk.page.waitForLoadState();
    await desk.file("src/http.rs").evaluate((file) => file.scrollIntoView());
    await desk.page.evaluate(() => window.scrollBy(0, -20));
  });
} finally {
  await browser.close();
  await server.stop();
  workspace.dispose();
}
