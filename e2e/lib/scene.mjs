// A test with a workspace, its server, and a window with the page of changes.
import { after, test } from "node:test";
import { Browser } from "./browser.mjs";
import { Server } from "./server.mjs";
import { Workspace } from "./workspace.mjs";

// Playwright may wait for ever inside a page; with a timeout everything is still closed. A test takes seconds, but a busy
// machine can be many times slower.
const TEST_TIMEOUT = 300_000;

const withTimeout = (work) => {
  let timer;
  const end = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`not done after ${TEST_TIMEOUT / 1000} s`)), TEST_TIMEOUT);
  });
  return Promise.race([work, end]).finally(() => clearTimeout(timer));
};
let browser = null;

after(() => browser?.close());

// `options`: `make` makes the workspace, `args` go to `skein serve`, `path` is opened first (`null` for nothing),
// `window` are options of the browser's context.
export function scene(name, options, body) {
  if (!body) return scene(name, {}, options);
  const { make = Workspace.demo, args = [], path = "/", window: how = {} } = options;
  return test(name, async (t) => {
    browser ??= await Browser.launch();
    const workspace = await make();
    const server = await Server.start(workspace, ...args);
    const windows = [];
    const open = async (more = {}) => {
      windows.push(await browser.window(server, { ...how, ...more }));
      return windows.at(-1);
    };
    try {
      const window = await open();
      const ui = path === null ? null : await window.open(path);
      await withTimeout(body({ t, workspace, server, window, ui, page: ui?.page, open }));
      for (const one of windows) one.faults.check();
    } catch (error) {
      for (const one of windows) await one.screenshot(name.replace(/[^a-z0-9]+/gi, "-"));
      throw error;
    } finally {
      for (const one of windows) await one.close();
      await server.stop();
      workspace.dispose();
    }
  });
}
