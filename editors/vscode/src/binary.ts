// Finds the `skein` program: the one of the setting, the one in PATH, or the one in the package; and checks its version.
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { asVersion, FormatError, type VersionInfo } from "./documents";
import { run, withoutAgents } from "./process";

const VERSION_TIMEOUT = 10_000;
/** The version of the JSON documents that this extension reads. */
const JSON_VERSION = 1;
const REQUIRED_FEATURES = ["edit-was", "steps-was", "apply-token", "watch-code"];

export type Binary =
  | { kind: "ready"; program: string; version: string }
  | { kind: "missing"; looked: string }
  | { kind: "old"; program: string; version: string | undefined }
  | { kind: "new"; program: string; version: string }
  | { kind: "unsupported" };

export interface SearchPlaces {
  /** The value of the setting `skein.path`; empty if it is not set. */
  setting: string;
  path: string;
  /** The home directory of the user. */
  home: string;
  /** The program in the package of the extension, if it has one. */
  bundled: string;
  platform: NodeJS.Platform;
}

/** Returns the first usable program, otherwise why the first one that was found cannot be used. */
export async function findBinary(places: SearchPlaces): Promise<Binary> {
  if (places.platform === "win32") {
    return { kind: "unsupported" };
  }
  if (places.setting !== "") {
    // The user has chosen: no other program is used in its place.
    const program = expandHome(places.setting);
    return isExecutable(program) ? checkVersion(program) : { kind: "missing", looked: program };
  }
  let unusable: Binary | undefined;
  for (const program of candidates(places)) {
    if (isExecutable(program)) {
      const binary = await checkVersion(program);
      if (binary.kind === "ready") {
        return binary;
      }
      unusable ??= binary;
    }
  }
  return unusable ?? { kind: "missing", looked: "PATH" };
}

/** Asks a program for its version, and compares it with what this extension needs. */
export async function checkVersion(program: string): Promise<Binary> {
  const version = await readVersion(program);
  if (version === undefined || version.json < JSON_VERSION || lacksFeature(version)) {
    return { kind: "old", program, version: version?.version };
  }
  if (version.json > JSON_VERSION) {
    return { kind: "new", program, version: version.version };
  }
  return { kind: "ready", program, version: version.version };
}

/** One sentence that says what is wrong and what to do. */
export function explain(binary: Exclude<Binary, { kind: "ready" }>): string {
  switch (binary.kind) {
    case "missing":
      return binary.looked === "PATH"
        ? "Skein needs the program skein, which is not in PATH, ~/.cargo/bin or ~/.local/bin. Install it, or choose where it is."
        : `Skein needs the program skein; the setting skein.path names ${binary.looked}, which cannot be run.`;
    case "old":
      return `${binary.program} ${binary.version ?? ""} is too old for this extension. Update it, or choose another one.`.replace(
        "  ",
        " ",
      );
    case "new":
      return `${binary.program} ${binary.version} is too new for this extension. Update the extension.`;
    case "unsupported":
      return "Skein runs on Linux and macOS. On Windows, open the folder in WSL.";
  }
}

function candidates(places: SearchPlaces): string[] {
  const directories = places.path.split(delimiter).filter((directory) => isAbsolute(directory));
  // Where cargo and the tarball install it. A window that a desktop starts often lacks these in PATH.
  const homes = [".cargo/bin", ".local/bin"].map((directory) => join(places.home, directory));
  return [...[...directories, ...homes].map((directory) => join(directory, "skein")), places.bundled];
}

/** Returns undefined if the program does not know the command. */
async function readVersion(program: string): Promise<VersionInfo | undefined> {
  try {
    const result = await run(program, ["version", "--json"], {
      env: withoutAgents(process.env),
      timeout: VERSION_TIMEOUT,
    });
    return result.code === 0 ? asVersion(JSON.parse(result.stdout)) : undefined;
  } catch (error) {
    if (error instanceof FormatError || error instanceof SyntaxError || isSpawnError(error)) {
      return undefined;
    }
    throw error;
  }
}

function lacksFeature(version: VersionInfo): boolean {
  return REQUIRED_FEATURES.some((feature) => !version.features.includes(feature));
}

function isSpawnError(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}

function isExecutable(program: string): boolean {
  try {
    accessSync(program, constants.X_OK);
    return statSync(program).isFile();
  } catch {
    return false;
  }
}

function expandHome(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}
