// Bundles the extension into `out/extension.js`, or with `--tests` each file of `test/` into `out/test/`,
// with a stand-in for VS Code.
import { readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  sourcemap: true,
  logLevel: "warning",
};

if (process.argv.includes("--tests")) {
  rmSync("out/test", { recursive: true, force: true });
  const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
  // The stand-in has only what the tests need.
  const logOverride = { "import-is-undefined": "silent" };
  const entryPoints = tests.map((name) => `test/${name}`);
  await build({ ...common, entryPoints, outdir: "out/test", alias: { vscode: "./test/vscode.ts" }, logOverride });
} else {
  await build({ ...common, entryPoints: ["src/extension.ts"], outdir: "out", external: ["vscode"] });
}
