// Runs `skein watch` for one root, reads its events, and starts it again if it ends unexpectedly.
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { Backoff } from "./backoff";
import { asWatchEvent, type WatchEvent } from "./documents";
import type { Log } from "./cli";
import { withoutAgents } from "./process";

const WATCH_ARGS = ["watch", "--code", "--drafts", "--json"];
/** The start of the line on stderr that says that the program notices changes from then on. */
const READY = "Watching ";
/** A watch that ran this long was healthy: the next pause is short again. */
const HEALTHY_AFTER = 30_000;

export interface WatchOptions {
  program: string;
  root: string;
  onEvent: (event: WatchEvent) => void;
  /** Called after each start of the program. Earlier changes have no events. */
  onReady: () => void;
  log: Log;
  firstPause?: number;
}

export class Watch {
  private child: ChildProcess | undefined;
  private timer: NodeJS.Timeout | undefined;
  private disposed = false;
  private readonly backoff: Backoff;

  constructor(private readonly options: WatchOptions) {
    this.backoff = new Backoff(options.firstPause);
    this.start();
  }

  dispose(): void {
    this.disposed = true;
    clearTimeout(this.timer);
    this.child?.kill();
  }

  private start(): void {
    const startedAt = Date.now();
    const child = spawn(this.options.program, ["-C", this.options.root, ...WATCH_ARGS], {
      env: withoutAgents(process.env),
      // The program ends when its stdout is closed, also if this process crashes.
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    this.child = child;
    createInterface({ input: child.stdout }).on("line", (line) => this.readLine(line));
    createInterface({ input: child.stderr }).on("line", (line) => this.readMessage(line));
    let ended = false;
    const end = (why: string) => {
      if (!ended && !this.disposed) {
        ended = true;
        this.restartLater(why, Date.now() - startedAt);
      }
    };
    child.on("error", (error) => end(error.message));
    child.on("close", (code) => end(`exit ${code ?? "by signal"}`));
  }

  private restartLater(why: string, lived: number): void {
    if (lived >= HEALTHY_AFTER) {
      this.backoff.reset();
    }
    const pause = this.backoff.next();
    this.options.log(`watch of ${this.options.root} ended: ${why}; again in ${pause} ms`);
    this.timer = setTimeout(() => this.start(), pause);
  }

  private readMessage(line: string): void {
    this.options.log(`watch: ${line}`);
    if (line.startsWith(READY) && !this.disposed) {
      this.options.onReady();
    }
  }

  private readLine(line: string): void {
    if (this.disposed) {
      return;
    }
    try {
      this.options.onEvent(asWatchEvent(JSON.parse(line)));
    } catch (error) {
      this.options.log(`watch: cannot read an event: ${String(error)}`);
    }
  }
}
