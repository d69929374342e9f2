// Stores, a stand-in and a user of the extension that defined the format of review threads.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const AT = "2026-01-23T14:30:52.000Z";

// A thread file as that extension writes it, with what other programs may have added: an unknown key, an unknown
// attribute, and a section of its own.
export function originalThread({ id, path, line, selection, before = [], after = [], body }) {
  const metadata = {
    schemaVersion: 1,
    id,
    target: {
      workspaceRelativePath: path,
      range: { startLine: line, startCharacter: 0, endLine: line, endCharacter: selection.length },
      anchor: { kind: "lineRange", context: { before, selection, after } },
    },
    status: "open",
    createdAt: AT,
    updatedAt: AT,
    reviewedWith: "another program",
  };
  const lines = [
    "<local-code-review-thread>",
    ...JSON.stringify(metadata, null, 2).split("\n"),
    "</local-code-review-thread>",
    "",
    `# ${path}:L${line + 1} · open`,
    "",
    "## Notes of another program",
    "",
    "Kept as they are.",
    "",
    "## Comments",
    "",
    `<local-code-review-comment id="c-${id}" author="You" createdAt="${AT}" mood="calm"/>`,
    "",
    body,
    "",
  ];
  return lines.join("\n");
}

export function originalIndex(threads) {
  const rows = threads.map(({ id, path, line, selection }) => ({
    id,
    file: path,
    range: { startLine: line, startCharacter: 0, endLine: line, endCharacter: selection.length },
    status: "open",
    updatedAt: AT,
  }));
  return `${JSON.stringify({ schemaVersion: 1, threads: rows }, null, 2)}\n`;
}

// Writes an unpacked extension with the id of the original, which only registers one of its commands.
export function originalStub(dir) {
  const main = `const { commands } = require("vscode");
exports.activate = (context) => context.subscriptions.push(commands.registerCommand("localCodeReview.refresh", () => {}));
`;
  return writeExtension(dir, "prateek", "local-code-review", main);
}

// Writes an unpacked extension that uses ours as extensions do that use the original: it stores the results of the exported
// functions in a file, and has the command `test.comment`, which writes one comment and discards another.
export function consumer(dir, results) {
  const main = `const { commands, extensions, Uri, workspace } = require("vscode");
const { writeFileSync } = require("node:fs");
const original = (name, ...args) => commands.executeCommand("localCodeReview." + name, ...args);
exports.activate = async () => {
  const { listThreads, getThread, listChangedFiles } = await extensions.getExtension("skein.skein").activate();
  const timer = setInterval(() => {
    const threads = listThreads();
    if (threads.length === 0) return;
    clearInterval(timer);
    const results = { threads, thread: getThread(threads[0].id), missing: getThread("none") ?? null, changed: listChangedFiles() };
    writeFileSync(${JSON.stringify(results)}, JSON.stringify(results));
  }, 500);
  commands.registerCommand("test.comment", async (path) => {
    const uri = Uri.joinPath(workspace.workspaceFolders[0].uri, path);
    await original("submitComment", { threadId: await original("addComment", uri, 11), text: "From another extension." });
    await original("cancelComment", { threadId: await original("addComment", uri, 13) });
  });
};
`;
  return writeExtension(dir, "test", "consumer", main);
}

function writeExtension(dir, publisher, name, main) {
  mkdirSync(dir, { recursive: true });
  const engines = { vscode: "^1.85.0" };
  const manifest = { name, publisher, version: "0.0.1", engines, main: "./main.js", activationEvents: ["onStartupFinished"] };
  writeFileSync(join(dir, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(dir, "main.js"), main);
  return dir;
}
