// Suggested changes: written, previewed, applied, refused.
import assert from "node:assert/strict";
import { until } from "../lib/until.mjs";
import { source } from "../lib/files.mjs";
import { group } from "../lib/scene.mjs";

const NAMES = ["apply", "finish", "look", "stale", "unsaved", "write", "changed"];
const files = Object.fromEntries(NAMES.map((name) => [`src/${name}.rs`, source(name)]));
files["src/crlf.rs"] = source("crlf").replaceAll("\n", "\r\n");
const line = (name, number) => `let ${name}_${number} = compute("${name}", ${number});`;
const stored = async (workspace, name) => (await workspace.threads("--full", `--file=src/${name}.rs`)).threads[0];

// Opens the preview of an agent's suggestion for line 5.
async function preview(code, workspace, name) {
  await workspace.agent("review", "add", `src/${name}.rs:5`, "-m", "Better so.", "--suggest", `let ${name}_5 = 5;`);
  await code.open(`src/${name}.rs`);
  await code.unfold(5);
  await code.button("Preview Suggested Change", code.thread()).click();
  await code.page.locator(".monaco-diff-editor .modified .view-line", { hasText: `let ${name}_5 = 5;` }).first().waitFor();
  await code.notification("Apply the suggestion").waitFor();
}

const changed = (name) => files[`src/${name}.rs`].replace(line(name, 5), `let ${name}_5 = 5;`);

group("a suggestion", { files }, (test) => {
  test("is applied as it was previewed, and undone in the editor", async ({ code, workspace }) => {
    await preview(code, workspace, "apply");
    assert.equal(workspace.read("src/apply.rs"), files["src/apply.rs"], "a preview writes nothing");
    await code.answer("Apply the suggestion", "Apply");
    await until(() => workspace.read("src/apply.rs") === changed("apply"), "the file is changed");
    assert.equal((await stored(workspace, "apply")).status, "open");
    await code.page.locator(".monaco-diff-editor").waitFor({ state: "detached" });
    await code.page.locator(".view-line", { hasText: "let apply_5 = 5;" }).waitFor();
    await code.page.mouse.click(...(await code.textOf(2)));
    await code.press("Control+z");
    await code.page.locator(".view-line", { hasText: line("apply", 5) }).waitFor();
  });

  test("is applied and resolved with the button of the preview", async ({ code, workspace }) => {
    await preview(code, workspace, "finish");
    await code.clearNotifications();
    await code.button("Apply Suggested Change and Resolve", code.page.locator(".editor-actions")).click();
    await until(() => workspace.read("src/finish.rs") === changed("finish"), "the file is changed");
    await until(async () => (await stored(workspace, "finish")).status === "resolved", "it is resolved");
  });

  test("is not applied if the preview is closed", async ({ code, workspace }) => {
    await preview(code, workspace, "look");
    await code.clear();
    assert.equal(workspace.read("src/look.rs"), files["src/look.rs"]);
  });

  test("is refused if the code has changed since the preview", async ({ code, workspace }) => {
    await preview(code, workspace, "stale");
    workspace.edit("src/stale.rs", (text) => text.replace(line("stale", 5), 'let stale_5 = compute("other", 5);'));
    const before = workspace.read("src/stale.rs");
    await code.answer("Apply the suggestion", "Apply");
    await code.notification("was not applied").waitFor();
    assert.equal(workspace.read("src/stale.rs"), before);
    await code.clearNotifications();
  });

  test("is refused while the file has changes that are not saved", async ({ code, workspace }) => {
    await preview(code, workspace, "unsaved");
    await code.open("src/unsaved.rs");
    await code.page.mouse.click(...(await code.textOf(1)));
    await code.press("Control+Home");
    await code.type("// unsaved\n");
    await code.answer("Apply the suggestion", "Apply");
    await code.notification("was not applied").waitFor();
    assert.equal(workspace.read("src/unsaved.rs"), files["src/unsaved.rs"]);
    await code.clearNotifications();
  });

  test("is written by changing the selected lines in an editor", async ({ code, workspace }) => {
    await code.open("src/write.rs", 7);
    await code.command("Skein: Suggest a Change of the Selection");
    const suggested = code.page.locator(".monaco-diff-editor .modified");
    await suggested.locator(".view-line", { hasText: line("write", 7) }).waitFor();
    await suggested.locator(".view-line").first().click();
    await code.press("Control+a");
    await code.type("let write_7 = 7;");
    await code.button("Comment with This Suggestion", code.page.locator(".editor-actions")).click();
    await code.picker.locator("input").waitFor();
    await code.type("Shorter.");
    await code.press("Enter");
    const thread = await until(() => stored(workspace, "write"), "it is stored");
    assert.equal(thread.at, "src/write.rs:7");
    assert.equal(thread.comments[0].body, "Shorter.\n\n```suggestion\nlet write_7 = 7;\n```");
    assert.equal(workspace.read("src/write.rs"), files["src/write.rs"]);
  });

  // Selects two lines, and opens the editor of a suggestion for them.
  async function suggest(code, name, first) {
    await code.open(`src/${name}.rs`, first);
    await code.press("Shift+ArrowDown", "Shift+ArrowDown");
    await code.command("Skein: Suggest a Change of the Selection");
    const suggested = code.page.locator(".monaco-diff-editor .modified");
    await suggested.locator(".view-line", { hasText: line(name, first) }).waitFor();
    await suggested.locator(".view-line").first().click();
  }

  async function comment(code) {
    await code.button("Comment with This Suggestion", code.page.locator(".editor-actions")).click();
    await code.picker.locator("input").waitFor();
    await code.press("Enter");
  }

  test("is stored on its lines in a file with CRLF, although others have moved them", async ({ code, workspace }) => {
    await suggest(code, "crlf", 7);
    await code.press("Control+End");
    await code.type(" // two");
    workspace.edit("src/crlf.rs", (text) => `// one\r\n${text}`);
    await comment(code);
    const thread = await until(() => stored(workspace, "crlf"), "it is stored");
    assert.equal(thread.at, "src/crlf.rs:8-9");
    assert.equal(thread.comments[0].body, `\`\`\`suggestion\n${line("crlf", 7)}\n${line("crlf", 8)} // two\n\`\`\``);
  });

  test("is not stored if its lines have changed, and can be copied", async ({ code, workspace }) => {
    await suggest(code, "changed", 7);
    await code.press("Control+Home");
    await code.type("let why; ");
    workspace.edit("src/changed.rs", (text) => text.replace(line("changed", 8), "let changed_8 = 8;"));
    await comment(code);
    const error = code.notification("changed in the meantime");
    await error.waitFor();
    assert.match(await code.copied(() => code.button("Copy Text", error).click()), /suggestion\nlet why; let changed_7/);
    assert.equal(await stored(workspace, "changed"), undefined);
    await code.clearNotifications();
  });
});
