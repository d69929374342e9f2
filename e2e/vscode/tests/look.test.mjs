// How threads look in light, dark and high contrast, what a screen reader reads, and work without a mouse.
import assert from "node:assert/strict";
import { until } from "../lib/until.mjs";
import { addThreads, FILE, files } from "../lib/gallery.mjs";
import { group } from "../lib/scene.mjs";

const THEMES = { "vs-dark": "Dark Modern", "hc-black": "Dark High Contrast", "hc-light": "Light High Contrast", vs: "Light Modern" };

// In a window of its own: keys that miss the thread would change the file of the other tests.
group("a thread without a mouse", { files, prepare: addThreads }, (test) => {
  test("a reply is written and sent with the keyboard alone", async ({ code, workspace }) => {
    await code.open(FILE);
    await until(async () => (await code.marks()).length >= 5, "all threads are marked");
    // The key of VS Code for the next thread.
    await code.tabIntoField(() => code.press("Alt+F9"));
    await code.type("Only the second one.");
    await code.submit();
    await code.comment("Only the second one.").waitFor();
    const { threads } = await workspace.threads("--full", `--file=${FILE}`);
    assert.ok(threads.some(({ comments }) => comments.at(-1).body === "Only the second one."));
  });
});

group("the look of threads", { files, prepare: addThreads }, (test) => {
  for (const [kind, theme] of Object.entries(THEMES)) {
    test(`in ${theme}`, async ({ code }) => {
      await code.open(FILE);
      await until(async () => (await code.marks()).length >= 2, "the threads are marked");
      await code.theme(theme);
      await code.page.locator(`.monaco-workbench.${kind}`).waitFor();
      await code.command("Comments: Expand All Comments");
      await until(async () => (await code.threads.count()) >= 3, "the threads are open");
      await code.screenshot(`look-${kind}`);
      const name = await code.thread("Both lines compute").locator(".comments-container").getAttribute("aria-label");
      assert.match(name, /on lines 3 through 4\. Waits on/);
    });
  }
});
