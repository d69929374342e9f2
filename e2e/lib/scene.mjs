// A test with all that it needs: a workspace, its server, and a window with the page of changes.
import { after, test } from "node:test";
import { Browser } from "./browser.mjs";
import { Server } from "./server.mjs";
import { Workspace } from "./workspace.mjs";

const LONGEST = 60_000;

// The driver may wait for ever inside of a page; what is open is closed all the same.
const inTime = (work) => {
  let late;
  const end = new Promise((_, fail) => {
    late = setTimeout(() => fail(new Error(`not done after ${LONGEST / 1000} s`)), LONGEST);
  });
  return Promise.race([work, end]).finally(() => clearTimeout(late));
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
      const desk = path === null ? null : await window.open(path);
      await inTime(body({ t, workspace, server, window, desk, page: desk?.page, open }));
      for (const one of windows) one.faults.check();
    } catch (error) {
      for (const one of windows) await one.picture(name.replace(/[^a-z0-9]+/gi, "-"));
      throw error;
    } finally {
      for (const one of windows) await one.close();
      await server.stop();
      workspace.dispose();
    }
  });
}
