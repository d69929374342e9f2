// Tests in windows of VS Code. One code-server and one browser serve all of them. Groups without special needs use one window
// after the other, each with its own files.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Workspace } from "../../lib/workspace.mjs";
import { CodeWindow } from "./code-window.mjs";
import { fill, makeFolder, restart } from "./folder.mjs";
import { adopt, launch, startServer } from "./setup.mjs";
import { startAgain } from "./start.mjs";

const TEST_TIMEOUT = 300_000;

let server = null;
let browser = null;
// The workspace and the window of the groups without a window of their own.
let shared = null;

after(async () => {
  await browser?.close();
  await server?.stop();
  shared?.workspace.dispose();
});

// A group of tests.
//
// `files` are those of the folder, unless `make` makes the workspace, and `prepare` gets it before it is opened. `program` is
// used instead of the program under test.
//
// Each of these gives the group a window of its own: `window: true`, and `path`, which is opened instead of the folder. Each of
// these a code-server too, because other windows would follow them: `server`, its options, `settings` of the user, and `keys`,
// which are keybindings.
// `define` gets a function that defines a test, with options of the test runner as its third argument.
export function group(title, options, define) {
  const has = (name) => options[name] !== undefined;
  const needsServer = ["server", "settings", "keys"].some(has);
  const needsWindow = needsServer || ["window", "path"].some(has);
  describe(title, () => {
    const at = {};
    before(async () => {
      browser ??= await launch();
      Object.assign(at, await startAgain(title, () => (needsWindow ? openWindow(options, needsServer) : useSharedWindow(options))));
    });
    after(async () => {
      if (needsWindow) {
        await at.code?.close();
        if (needsServer) await at.server?.stop();
        at.workspace?.dispose();
      } else if (options.program) {
        server.program();
      }
    });
    define((name, body, how = {}) => test(name, how, (t) => run(name, at, () => body({ t, ...at }))));
  });
}

const makerOf = ({ make, files }) => make ?? (() => Workspace.plain(files));

async function openWindow(options, needsServer) {
  const own = needsServer ? await startServer(options.server) : (server ??= await startServer());
  const workspace = adopt(await makerOf(options)(), own);
  try {
    if (options.settings) own.configure(options.settings);
    if (options.keys) own.bind(options.keys);
    await options.prepare?.(workspace);
    const code = await CodeWindow.open(browser.context, own.address(options.path?.(workspace) ?? workspace.dir));
    return { server: own, workspace, code };
  } catch (error) {
    workspace.dispose();
    if (needsServer) await own.stop();
    throw error;
  }
}

async function useSharedWindow(options) {
  server ??= await startServer();
  if (!shared) {
    const workspace = await makeFolder(server);
    shared = { server, workspace, code: await CodeWindow.open(browser.context, server.address(workspace.dir)) };
  }
  // A test may have chosen another theme.
  server.configure();
  if (options.program) server.program(options.program);
  await fill(shared.workspace, makerOf(options));
  await options.prepare?.(shared.workspace);
  await shared.code.page.bringToFront();
  await restart(shared.workspace, shared.code);
  return shared;
}

async function run(name, { code }, body) {
  const { requests } = browser ?? { requests: [] };
  requests.length = 0;
  try {
    if (!code) throw new Error("there is no window");
    await withTimeout(body());
    assert.deepEqual(requests, [], "requests to other hosts");
    assert.deepEqual(await code.errors(), [], "error messages that the test does not expect");
  } catch (error) {
    await code?.screenshot(`failed-${name}`);
    throw error;
  } finally {
    await code?.clear().catch(() => {});
  }
}

function withTimeout(work) {
  let timer;
  const end = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`not done after ${TEST_TIMEOUT / 1000} s`)), TEST_TIMEOUT);
  });
  return Promise.race([work, end]).finally(() => clearTimeout(timer));
}
