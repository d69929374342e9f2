// Small shell scripts that replace `skein` in tests.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

/** Returns a directory that is removed after the tests of the file. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "skein-vscode-"));
  after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Writes an executable script named `skein` and returns its path. */
export function script(directory: string, body: string): string {
  const path = join(directory, "skein");
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

export const FEATURES = '"edit-was", "steps-was", "apply-token", "watch-code"';

/** The answer of a current program to `version --json`. */
export function versionScript(directory: string, json = 1, features = FEATURES): string {
  return script(directory, `echo '{"version": "0.1.0", "json": ${json}, "features": [${features}]}'`);
}
