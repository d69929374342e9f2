// Threads follow their code, and say what happened to it.
import assert from "node:assert/strict";
import { until } from "../lib/until.mjs";
import { contents, source } from "../lib/files.mjs";
import { group } from "../lib/scene.mjs";

const NAMES = ["typed", "outside", "edited", "gone", "branch", "renamed", "removed"];
const files = Object.fromEntries(NAMES.map((name) => [`src/${name}.rs`, source(name)]));

async function shown(code, workspace, name, line = 8) {
  await workspace.agent("review", "add", `src/${name}.rs:${line}`, "-m", `About ${name}.`);
  await code.open(`src/${name}.rs`);
  await code.unfold(line);
  return code.thread(`About ${name}.`);
}

const marksAre = (code, lines) => until(async () => String(await code.marks()) === String(lines), `threads on lines ${lines}`);

group("the place of a thread", { files }, (test) => {
  test("follows lines that are typed above it, before and after saving", async ({ code, workspace }) => {
    const thread = await shown(code, workspace, "typed");
    const store = contents(workspace.path(".code-review"));
    await code.page.mouse.click(...(await code.textOf(1)));
    await code.press("Control+Home");
    await code.type("// one\n// two\n// three\n");
    await until(async () => (await code.lineOf(thread)) === 11, "the thread moves while the file is not saved");
    await code.save();
    await until(async () => (await code.lineOf(thread)) === 11, "the thread stays");
    assert.equal((await workspace.threads("--file=src/typed.rs")).threads[0].at, "src/typed.rs:11");
    assert.deepEqual(contents(workspace.path(".code-review")), store, "showing a moved thread writes nothing");
  });

  test("follows lines that another program writes above and below it", async ({ code, workspace }) => {
    await shown(code, workspace, "outside");
    await code.press("Escape");
    workspace.edit("src/outside.rs", (text) => `// one\n// two\n${text}// end\n`);
    await marksAre(code, [10]);
    workspace.write("src/outside.rs", files["src/outside.rs"]);
    await marksAre(code, [8]);
  });

  test("is labelled if its code was edited, and the old text can be opened", async ({ code, workspace }) => {
    const thread = await shown(code, workspace, "edited");
    workspace.edit("src/edited.rs", (text) => text.replace('compute("edited", 8)', 'compute("edited", 8 + offset)'));
    await until(async () => /edited/.test(await code.label(thread)), "the label says so");
    assert.equal(await code.lineOf(thread), 8);
    await code.button("Show the Commented Text", thread).click();
    await code.page.locator(".view-line", { hasText: 'compute("edited", 8);' }).first().waitFor();
  });

  test("is labelled if its code is gone", async ({ code, workspace }) => {
    const thread = await shown(code, workspace, "gone", 20);
    workspace.edit("src/gone.rs", (text) => text.split("\n").filter((_, index) => index < 15 || index > 24).join("\n"));
    await until(async () => /gone/.test(await code.label(thread)), "the label says so");
  });

  test("is right after a branch switch and back", async ({ code, workspace }) => {
    await workspace.git("switch", "--quiet", "--create", "other");
    workspace.edit("src/branch.rs", (text) => `// one\n// two\n// three\n// four\n${text}`);
    await workspace.commit("four lines");
    await workspace.git("switch", "--quiet", "main");
    await shown(code, workspace, "branch");
    await code.press("Escape");
    await marksAre(code, [8]);
    await workspace.git("switch", "--quiet", "other");
    await marksAre(code, [12]);
    await workspace.git("switch", "--quiet", "main");
    await marksAre(code, [8]);
  });

  test("is in the new file after a rename", async ({ code, workspace }) => {
    await shown(code, workspace, "renamed");
    await workspace.git("mv", "src/renamed.rs", "src/new_name.rs");
    await code.open("src/new_name.rs");
    await code.unfold(8);
    const thread = code.thread("About renamed.");
    await until(async () => /moved from src\/renamed\.rs:8/.test(await code.label(thread)), "the label says so");
  });

  test("of a deleted file is still found", async ({ code, workspace }) => {
    await shown(code, workspace, "removed");
    workspace.remove("src/removed.rs");
    await code.command("Skein: Focus on Reviews View");
    const item = code.tree("About removed.");
    await item.waitFor();
    await item.click();
    await code.page.locator(".review-comment", { hasText: "About removed." }).waitFor();
    await code.page.locator(".view-line", { hasText: 'compute("removed", 8);' }).first().waitFor();
  });
});
