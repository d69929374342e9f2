// The browser of a test file. Each window has its own cookies and storage, like another person's browser.
import { existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { SkeinPage } from "./skein-page.mjs";
import { Faults } from "./faults.mjs";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/usr/bin/chromium-headless-shell"];
const TIMEOUT = 30_000;

export const SCREENSHOTS = fileURLToPath(new URL("../screenshots/", import.meta.url));

export class Browser {
  static async launch() {
    const browser = new Browser();
    browser.chromium = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? PATHS.find((path) => existsSync(path)),
      args: ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
    });
    return browser;
  }

  async window(server, options = {}) {
    const context = await this.chromium.newContext({ viewport: { width: 1360, height: 900 }, ...options });
    context.setDefaultTimeout(TIMEOUT);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    return new Window(context, server, await Faults.watch(context, server.origin));
  }

  // A window that is logged in to a server by a cookie, as `NAME=VALUE`.
  async windowOf(address, cookie) {
    const window = await this.window({ entry: () => address, origin: new URL(address).origin });
    const [name, value] = cookie.split("=");
    await window.context.addCookies([{ name, value, url: address }]);
    return window;
  }

  close() {
    return this.chromium.close();
  }
}

// A window with its tabs.
export class Window {
  constructor(context, server, faults) {
    Object.assign(this, { context, server, faults });
  }

  // The first tab logs in with the address; the others use the cookie.
  async open(path = "/") {
    const page = await this.context.newPage();
    if (!this.isLoggedIn) await page.goto(await this.server.entry());
    if (!this.isLoggedIn && path === "/") {
      this.isLoggedIn = true;
      return new SkeinPage(page);
    }
    this.isLoggedIn = true;
    await page.goto(this.server.origin + path);
    return new SkeinPage(page);
  }

  async screenshot(name) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    for (const [index, page] of this.context.pages().entries()) {
      await page.screenshot({ path: `${SCREENSHOTS}failed-${name}-${index}.png` }).catch(() => {});
    }
  }

  close() {
    return this.context.close();
  }
}
