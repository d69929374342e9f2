// Bundles the extension into `out/extension.js`, or with `--tests` each file of `test/` into `out/test/`.
import { readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  sourcemap: true,
  external: ["vscode"],
  logLevel: "warning",
};

if (process.argv.includes("--tests")) {
  rmSync("out/test", { recursive: true, force: true });
  const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
  await build({ ...common, entryPoints: tests.map((name) => `test/${name}`), outdir: "out/test" });
} else {
  await build({ ...common, entryPoints: ["src/extension.ts"], outdir: "out" });
}
