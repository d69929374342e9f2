// A thread that is unfolded as soon as its mark is shown.
import { until } from "../lib/until.mjs";
import { source } from "../lib/files.mjs";
import { group } from "../lib/scene.mjs";

// A unit test of the controller checks the same without VS Code.
const NAMES = Array.from({ length: 6 }, (_, number) => `file${number}`);
const files = Object.fromEntries(NAMES.map((name) => [`src/${name}.rs`, source(name)]));

group("a new mark", { files }, (test) => {
  test("unfolds its thread with the first click", async ({ code, workspace }) => {
    for (const name of NAMES) {
      await workspace.skein("review", "add", `src/${name}.rs:8`, "-m", "Why?");
      await code.open(`src/${name}.rs`);
      await until(async () => (await code.marks()).includes(8), "the mark is shown");
      await code.page.mouse.click(...(await code.gutter(8)));
      await until(() => code.isUnfolded(8), `the thread of ${name} is open`);
      await code.clear();
    }
  });
});
