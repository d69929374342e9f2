// Tests in windows of VS Code. One code-server and one browser serve all of them; each group of tests has its own window and folder.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Workspace } from "../../lib/workspace.mjs";
import { CodeWindow } from "./code-window.mjs";
import { adopt, launch, startServer } from "./setup.mjs";

const TEST_TIMEOUT = 300_000;

let server = null;
let browser = null;

after(async () => {
  await browser?.close();
  await server?.stop();
});

// A group of tests in one window.
//
// `files` are those of the folder, unless `make` makes the workspace. `path` is opened instead of the folder.
// `settings` are those of the user, `machine` those of the machine, `keys` are keybindings, `server` are options of a code-server for this group alone.
// `define` gets a function that defines a test, with options of the test runner as its third argument.
export function group(title, options, define) {
  describe(title, () => {
    const at = {};
    before(async () => {
      at.server = options.server ? await startServer(options.server) : (server ??= await startServer());
      at.server.configure(options.settings);
      at.server.machine(options.machine);
      at.server.bind(options.keys);
      at.workspace = adopt(await (options.make ?? (() => Workspace.plain(options.files)))(), at.server);
      await options.prepare?.(at.workspace);
      browser ??= await launch();
      at.code = await CodeWindow.open(browser.context, at.server.address(options.path?.(at.workspace) ?? at.workspace.dir));
    });
    after(async () => {
      await at.code?.close();
      if (options.server) await at.server?.stop();
      at.workspace?.dispose();
    });
    define((name, body, how = {}) => test(name, how, (t) => run(name, at, () => body({ t, ...at }))));
  });
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
