// Measures the extension with 3,000 threads: its activation, and how much later a file with 40 threads opens than one without.
//
//   e2e/vscode/run --measure   prints {"activation": [MS…], "without": [MS…], "with": [MS…], "later": MS}
//
// An activation is the time of the extension's part of it on the extension host, as VS Code shows it under "Running
// Extensions". A file has opened when its text, and the marks of its threads if it has some, are drawn.
import { Workspace } from "../lib/workspace.mjs";
import { CodeWindow } from "./lib/code-window.mjs";
import { source } from "./lib/files.mjs";
import { addMany, manyFiles } from "./lib/many.mjs";
import { adopt, launch, startServer } from "./lib/setup.mjs";

const WINDOWS = 3;
const OPENINGS = 5;
const THREADS = 3_000;
const SHOWN = 40;

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

// Each of these files has 40 threads: the others of the 3,000 are in other files.
const measured = (index) => `measured${index}`;

async function workspaceWithThreads(server) {
  const files = manyFiles();
  for (let index = 0; index < OPENINGS; index += 1) {
    files[`src/${measured(index)}.rs`] = source(measured(index), 120);
    files[`src/plain${index}.rs`] = source(`plain${index}`, 120);
  }
  const workspace = adopt(await Workspace.plain(files), server);
  await addMany(workspace, THREADS - OPENINGS * SHOWN);
  for (let index = 0; index < OPENINGS; index += 1) await addMany(workspace, SHOWN, measured(index));
  return workspace;
}

// Reads "Activation: 12ms" of the extension from the list of running extensions.
async function activation(code) {
  await code.command("Developer: Show Running Extensions");
  const row = code.page.locator(".runtime-extensions-editor .monaco-list-row", { hasText: "Skein" }).first();
  await row.waitFor();
  const text = await row.locator(".activation-time").textContent();
  return Number(text.match(/(\d+)\s*ms/)[1]);
}

// The time from the key that opens a file until `marks` threads are drawn, measured in the page.
async function opening(code, file, marks) {
  const { page } = code;
  await code.press("Control+p");
  await code.picker.locator("input").waitFor();
  await code.type(`${file}.rs`);
  await code.picker.locator(".monaco-list-row.focused", { hasText: file }).waitFor();
  await page.evaluate(
    ([file, marks]) => {
      window.opened = new Promise((done) => {
        addEventListener("keydown", () => (window.pressedAt = performance.now()), { once: true, capture: true });
        const check = () => {
          const text = document.querySelector(".editor-instance .view-lines")?.textContent ?? "";
          const seen = document.querySelectorAll(".margin-view-overlays .comment-thread, .margin-view-overlays .comment-thread-unresolved").length;
          if (text.includes(`${file}_1`) && seen >= marks) done(performance.now() - window.pressedAt);
          else requestAnimationFrame(check);
        };
        requestAnimationFrame(check);
      });
    },
    [file, marks],
  );
  await code.press("Enter");
  const time = await page.evaluate(() => window.opened);
  await code.clear();
  return Math.round(time);
}

const server = await startServer();
// All lines of a file must be visible.
const browser = await launch({ width: 1360, height: 1800 });
const workspace = await workspaceWithThreads(server);
const times = { activation: [], without: [], with: [] };
try {
  for (let round = 0; round < WINDOWS; round += 1) {
    const code = await CodeWindow.open(browser.context, server.address(workspace.dir));
    await code.open(`src/${measured(0)}.rs`);
    await code.unfold(1);
    times.activation.push(await activation(code));
    await code.clear();
    if (round === WINDOWS - 1) {
      for (let index = 1; index < OPENINGS; index += 1) {
        times.without.push(await opening(code, `plain${index}`, 0));
        times.with.push(await opening(code, measured(index), SHOWN));
      }
    }
    await code.close();
  }
  const result = { ...times, later: median(times.with) - median(times.without) };
  console.log(JSON.stringify(result));
} finally {
  await browser.close();
  await server.stop();
  workspace.dispose();
}
