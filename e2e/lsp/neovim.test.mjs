// The server in a real Neovim, with the settings that `skein lsp --print-config neovim` prints.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { promisify } from "node:util";
import { until } from "../lib/until.mjs";
import { comments, scene, status } from "./scene.mjs";

const run = promisify(execFile);
let workspace;
let editor;

class Neovim {
  static async start(workspace, settings = "") {
    const neovim = new Neovim();
    neovim.workspace = workspace;
    neovim.socket = join(workspace.base, "nvim.sock");
    const init = join(workspace.base, "init.lua");
    // The parsers of Neovim are in packages of their own.
    const parsers = "vim.treesitter.start = function() end\n";
    writeFileSync(init, parsers + (await workspace.skein("lsp", "--print-config", "neovim")) + settings);
    const args = ["--headless", "--clean", "-u", init, "--listen", neovim.socket, "src/main.rs"];
    neovim.process = spawn("nvim", args, { cwd: workspace.dir, env: workspace.env, stdio: "ignore" });
    await until(() => existsSync(neovim.socket), "Neovim listens");
    return neovim;
  }

  // Evaluates a function body of Lua in the editor.
  async lua(body) {
    const file = join(this.workspace.base, "call.lua");
    writeFileSync(file, `return vim.json.encode((function() ${body} end)() or vim.NIL)`);
    const args = ["--server", this.socket, "--remote-expr", `luaeval("dofile('${file}')")`];
    return JSON.parse((await run("nvim", args, { env: this.workspace.env })).stdout);
  }

  // The marks of the current buffer in the order of their lines, as `line: message`.
  async marks() {
    const found = await this.lua("return vim.diagnostic.get(0)");
    found.sort((one, other) => one.lnum - other.lnum);
    return found.filter((one) => one.source === "skein").map((one) => `${one.lnum}: ${one.message}`);
  }

  async shows(...expected) {
    let last;
    const found = async () => {
      last = await this.marks();
      return JSON.stringify(last) === JSON.stringify(expected);
    };
    await until(found, `marks ${JSON.stringify(expected)}`).catch((error) => {
      throw new Error(`${error.message}, but ${JSON.stringify(last)}`);
    });
  }

  // Chooses the code action at a line whose title starts with a text.
  async act(line, title) {
    await this.lua(`
      vim.api.nvim_win_set_cursor(0, { ${line}, 0 })
      vim.lsp.buf.code_action({ apply = true, filter = function(action)
        return vim.startswith(action.title, ${JSON.stringify(title)})
      end })`);
  }

  text() {
    return this.lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n') .. '\\n'");
  }
}

const FIRST = "Mira Okafor: Not on all interfaces. (waits on an agent)";
const ANSWERED = "Mira Okafor: Not on all interfaces. / Claude Code: Local only: (waits on you)";

beforeEach(async () => {
  workspace = await scene();
});

afterEach(async () => {
  editor?.process.kill("SIGKILL");
  editor = null;
  workspace.dispose();
});

test("a thread is shown, and follows typing and undo", async () => {
  editor = await Neovim.start(workspace);
  await editor.shows(`2: ${FIRST}`);
  await editor.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// one', '// two' })");
  await editor.shows(`4: ${FIRST}`);
  await editor.lua("vim.cmd('undo')");
  await editor.shows(`2: ${FIRST}`);
});

test("the reply of an agent appears without touching the editor", async () => {
  editor = await Neovim.start(workspace);
  await editor.shows(`2: ${FIRST}`);
  await workspace.suggest();
  await editor.shows(`2: ${ANSWERED}`);
});

test("a reply is written in a file that the server opens", async () => {
  editor = await Neovim.start(workspace);
  await editor.shows(`2: ${FIRST}`);
  await editor.act(3, "Reply to");
  await until(() => editor.lua("return vim.endswith(vim.api.nvim_buf_get_name(0), '.md')"), "the file is open");
  // The file needs no server of its own, which would show every thread a second time.
  assert.equal(await editor.lua("return #vim.lsp.get_clients({ name = 'skein' })"), 1);
  await editor.lua("vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'Please.' }) vim.cmd('write')");
  await until(async () => (await comments(workspace)).length === 2, "the reply is in the thread");
  assert.deepEqual(await comments(workspace), ["Not on all interfaces.", "Please."]);
});

test("the commands of the settings reply and comment", async () => {
  editor = await Neovim.start(workspace, "vim.ui.input = function(_, done) done('Typed.') end\n");
  await editor.shows(`2: ${FIRST}`);
  await editor.lua("vim.api.nvim_win_set_cursor(0, { 3, 0 }) vim.cmd('SkeinReply')");
  await until(async () => (await comments(workspace)).length === 2, "the reply is in the thread");
  assert.equal((await comments(workspace))[1], "Typed.");
  await editor.lua("vim.cmd('1,2SkeinComment')");
  await until(async () => (await workspace.threads()).threads.length === 2, "there is a second thread");
  await workspace.suggest();
  await editor.lua("vim.api.nvim_win_set_cursor(0, { 1, 0 }) vim.cmd('SkeinNext')");
  await until(async () => (await editor.lua("return vim.fn.line('.')")) === 3, "the cursor is on the thread");
});

test("the commands of the settings resolve, reopen, draft and list, and the text of a thread is behind its line", async () => {
  editor = await Neovim.start(workspace, "vim.ui.input = function(_, done) done('Typed.') end\n");
  await editor.shows(`2: ${FIRST}`);
  const virtual = await editor.lua(`
    local marks = vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })
    local text = {}
    for _, mark in ipairs(marks) do
      for _, part in ipairs(mark[4].virt_text or {}) do table.insert(text, part[1]) end
    end
    return table.concat(text)`);
  assert.match(virtual, /Mira Okafor: Not on all interfaces\./);
  await editor.lua("vim.cmd('SkeinList')");
  const list = await editor.lua("return vim.fn.getqflist()");
  assert.deepEqual(list.map((one) => one.lnum), [3]);
  await editor.lua("vim.cmd('cclose') vim.api.nvim_win_set_cursor(0, { 3, 0 }) vim.cmd('SkeinResolve')");
  await editor.shows();
  assert.equal(await status(workspace), "resolved");
  await editor.lua("vim.api.nvim_win_set_cursor(0, { 3, 0 }) vim.cmd('SkeinReopen')");
  await editor.shows(`2: ${FIRST}`);
  await editor.lua("vim.cmd('1SkeinDraft')");
  await editor.shows("0: Mira Okafor: Typed. (draft)", `2: ${FIRST}`);
  await editor.lua("vim.cmd('SkeinSubmit')");
  await editor.shows("0: Mira Okafor: Typed. (waits on an agent)", `2: ${FIRST}`);
});

test("a suggestion is applied by a command, and the thread stays on its line", async () => {
  await workspace.suggest();
  editor = await Neovim.start(workspace);
  await editor.shows(`2: ${ANSWERED}`);
  await editor.lua("vim.api.nvim_win_set_cursor(0, { 3, 0 }) vim.cmd('SkeinApply')");
  await until(async () => (await editor.text()).includes("127.0.0.1"), "the text has changed");
  await editor.lua("vim.cmd('write')");
  await until(async () => (await comments(workspace)).length === 3, "the thread has a reply");
  await editor.shows("2: Mira Okafor: Not on all interfaces. / Mira Okafor: Applied already; not committed yet. (3 comments, waits on you)");
});

test("a suggestion is applied in one step of undo, and reported when the file is saved", async () => {
  await workspace.suggest();
  editor = await Neovim.start(workspace);
  await editor.shows(`2: ${ANSWERED}`);
  const before = await editor.text();
  await editor.act(3, "Apply the suggestion");
  await until(async () => (await editor.text()).includes("127.0.0.1"), "the text has changed");
  const after = await editor.text();
  assert.equal(after, before.replace("0.0.0.0", "127.0.0.1"));
  await editor.lua("vim.cmd('undo')");
  assert.equal(await editor.text(), before);
  await editor.lua("vim.cmd('redo') vim.cmd('write')");
  await until(async () => (await comments(workspace)).length === 3, "the thread has a reply");
  assert.equal(workspace.read("src/main.rs"), after);
});

test("a thread is resolved from the menu, and opened again", async () => {
  editor = await Neovim.start(workspace);
  await editor.shows(`2: ${FIRST}`);
  await editor.act(3, "Resolve");
  await editor.shows();
  assert.equal(await status(workspace), "resolved");
  await editor.act(3, "Reopen");
  await editor.shows(`2: ${FIRST}`);
});

test("the hover has the whole thread, and the lenses its commands", async () => {
  editor = await Neovim.start(workspace);
  await editor.shows(`2: ${FIRST}`);
  const hover = await editor.lua(`
    vim.api.nvim_win_set_cursor(0, { 3, 4 })
    local client = vim.lsp.get_clients({ name = 'skein' })[1]
    local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
    return client:request_sync('textDocument/hover', params, 5000, 0).result.contents.value`);
  assert.match(hover, /\*\*Mira Okafor\*\*[^]*Not on all interfaces\./);
  const lenses = await editor.lua(`
    local client = vim.lsp.get_clients({ name = 'skein' })[1]
    local params = { textDocument = vim.lsp.util.make_text_document_params(0) }
    return client:request_sync('textDocument/codeLens', params, 5000, 0).result`);
  assert.deepEqual(lenses.map((one) => one.command.title), ["1 comment, waits on an agent", "Reply", "Resolve"]);
});

for (const encoding of ["utf-8", "utf-16"]) {
  test(`columns are right in ${encoding}`, async () => {
    workspace.write("src/main.rs", 'fn main() {\n\tprint("字😀"); call();\n}\n');
    await workspace.skein("review", "add", "src/main.rs:2", "-m", "Why?");
    editor = await Neovim.start(workspace, `
      local capabilities = vim.lsp.protocol.make_client_capabilities()
      capabilities.general.positionEncodings = { '${encoding}' }
      vim.lsp.config('skein', { capabilities = capabilities })
    `);
    const mark = async () => (await editor.lua("return vim.diagnostic.get(0)")).find((one) => one.lnum === 1);
    const found = await until(mark, "the line has a mark");
    assert.equal(await editor.lua("return vim.lsp.get_clients({ name = 'skein' })[1].offset_encoding"), encoding);
    // Neovim converts to bytes.
    const line = Buffer.from('\tprint("字😀"); call();');
    assert.deepEqual([found.col, found.end_col], [1, line.length]);
    await editor.lua("vim.api.nvim_buf_set_text(0, 1, 15, 1, 15, { '字' })");
    await until(async () => (await mark())?.end_col === line.length + 3, "the mark is longer");
  });
}

test("the server ends with the editor", async () => {
  editor = await Neovim.start(workspace);
  await editor.shows(`2: ${FIRST}`);
  const children = readFileSync(`/proc/${await editor.lua("return vim.fn.getpid()")}/task/${await editor.lua("return vim.fn.getpid()")}/children`, "utf8");
  const server = children.trim().split(" ").find((id) => readFileSync(`/proc/${id}/cmdline`, "utf8").includes("lsp"));
  assert.ok(server, children);
  editor.process.kill("SIGKILL");
  await until(() => !existsSync(`/proc/${server}`), "the server has ended", 2000);
});
