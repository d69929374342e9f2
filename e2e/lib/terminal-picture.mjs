// Draws the screen of a terminal in the browser, and takes a picture of it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { chromium } from "playwright-core";

const xterm = dirname(createRequire(import.meta.url).resolve("@xterm/xterm/package.json"));

// Takes the picture of a screen with escape codes, such as `tmux capture-pane -p -e` prints it.
export async function takeTerminal(path, screen, { columns, rows }) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
    await page.setContent(`<style>${readFileSync(join(xterm, "css/xterm.css"), "utf8")} body { margin: 0 }</style><div id="screen"></div>`);
    await page.addScriptTag({ content: readFileSync(join(xterm, "lib/xterm.js"), "utf8") });
    await page.evaluate(
      ({ screen, columns, rows }) =>
        new Promise((done) => {
          const terminal = new window.Terminal({ cols: columns, rows, fontSize: 14, lineHeight: 1.2, fontFamily: "DejaVu Sans Mono", cursorInactiveStyle: "none", convertEol: true });
          terminal.open(document.getElementById("screen"));
          terminal.write(screen, () => setTimeout(done, 200));
        }),
      { screen: screen.replace(/\n$/, ""), columns, rows },
    );
    await page.locator(".xterm-screen").screenshot({ path });
  } finally {
    await browser.close();
  }
}
