// Runs `skein` for one root: reads at any time, writes one after the other.
import { run, withoutAgents } from "./process";

const CALL_TIMEOUT = 20_000;
/** The exit codes of `skein`. */
const OK = 0;
const NO = 1;
const USER_ERROR = 2;

/** Why a call failed: `refused` is a problem that the user can fix, `failed` anything else. */
export type FailureKind = "refused" | "failed" | "timeout" | "not-started" | "bad-output";

export class SkeinError extends Error {
  override readonly name = "SkeinError";

  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }

  /** The message for the user, with what to do. */
  get text(): string {
    return this.hint === undefined ? this.message : `${this.message}. ${capitalize(this.hint)}`;
  }
}

export interface CallOptions {
  input?: string;
  /** Whether the exit code 1, the answer "no", is a result. */
  allowNo?: boolean;
}

export type Log = (line: string) => void;

/** `skein` for one root. */
export class Cli {
  private lastWrite: Promise<unknown> = Promise.resolve();

  constructor(
    readonly program: string,
    readonly root: string,
    private readonly log: Log = () => undefined,
  ) {}

  /** Returns the JSON document that a command prints. */
  async read(args: string[], options: CallOptions = {}): Promise<unknown> {
    const text = await this.text(withJson(args), options);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new SkeinError("bad-output", `Cannot read the output of "skein ${args.map(withoutText).join(" ")}"`);
    }
  }

  /** As `read`, for a command that writes. Starts when the writes before it have ended. */
  write(args: string[], options: CallOptions = {}): Promise<unknown> {
    const result = this.lastWrite.then(() => this.read(args, options));
    this.lastWrite = result.catch(() => undefined);
    return result;
  }

  /** Returns the output of a command as it is. */
  async text(args: string[], options: CallOptions = {}): Promise<string> {
    const start = Date.now();
    const result = await run(this.program, ["-C", this.root, ...args], {
      ...(options.input === undefined ? {} : { input: options.input }),
      env: withoutAgents(process.env),
      timeout: CALL_TIMEOUT,
    }).catch((error: Error) => {
      throw new SkeinError("not-started", `Cannot start ${this.program}: ${error.message}`);
    });
    this.log(`skein -C ${this.root} ${args.map(withoutText).join(" ")}: exit ${result.code ?? "by signal"}, ${Date.now() - start} ms`);
    if (result.timedOut) {
      throw new SkeinError("timeout", `skein did not answer within ${CALL_TIMEOUT / 1000} seconds`);
    }
    if (result.code === OK || (result.code === NO && options.allowNo === true)) {
      return result.stdout;
    }
    if (result.stderr !== "") {
      this.log(result.stderr.trimEnd());
    }
    throw parseFailure(result.code, result.stderr);
  }
}

/** Turns the output on stderr, `Error: …` and `Hint: …`, into an error. */
export function parseFailure(code: number | null, stderr: string): SkeinError {
  // The notes about kept input are for the user of a terminal.
  const lines = stderr.split("\n").filter((line) => !line.startsWith("the piped input is kept"));
  const text = lines.join("\n");
  const message = /^Error: ([\s\S]*?)(?=^(?:Hint|Caused by): |(?![\s\S]))/m.exec(text)?.[1]?.trim();
  const hint = /^Hint: ([\s\S]*)/m.exec(text)?.[1]?.trim();
  const kind = code === USER_ERROR || code === NO ? "refused" : "failed";
  const fallback = `skein ended with ${code === null ? "a signal" : `the code ${code}`}`;
  return new SkeinError(kind, capitalize(message ?? fallback), hint);
}

/** Removes the text of a comment or step, which does not belong into a log. */
function withoutText(arg: string): string {
  return arg.replace(/^--(was|step)=.*/s, "--$1=…");
}

/** Adds the option before `--`, after which everything is a path. */
function withJson(args: string[]): string[] {
  const end = args.indexOf("--");
  return end < 0 ? [...args, "--json"] : [...args.slice(0, end), "--json", ...args.slice(end)];
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
