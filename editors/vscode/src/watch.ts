// Runs `skein watch` for one root, reads its events, and starts it again if it ends unexpectedly.
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { asWatchEvent, type WatchEvent } from "./documents";
import type { Log } from "./cli";
import { withoutAgents } from "./process";

const WATCH_ARGS = ["watch", "--code", "--drafts", "--json"];
const FIRST_PAUSE = 1_000;
const MAX_PAUSE = 60_000;
/** A watch that ran this long was healthy: the next pause is short again. */
const HEALTHY_AFTER = 30_000;

export interface WatchOptions {
  program: string;
  root: string;
  onEvent: (event: WatchEvent) => void;
  /** Called after an interruption: events may have been missed. */
  onRestart: () => void;
  log: Log;
  firstPause?: number;
}

export class Watch {
  private child: ChildProcess | undefined;
  private timer: NodeJS.Timeout | undefined;
  private disposed = false;
  private pause: number;
  private readonly firstPause: number;

  constructor(private readonly options: WatchOptions) {
    this.firstPause = options.firstPause ?? FIRST_PAUSE;
    this.pause = this.firstPause;
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
    createInterface({ input: child.stderr }).on("line", (line) => this.options.log(`watch: ${line}`));
    let ended = false;
    const end = (why: string) => {
      if (!ended && !this.disposed) {
        ended = true;
        this.options.log(`watch of ${this.options.root} ended: ${why}; again in ${this.pause} ms`);
        this.restartLater(Date.now() - startedAt);
      }
    };
    child.on("error", (error) => end(error.message));
    child.on("close", (code) => end(`exit ${code ?? "by signal"}`));
  }

  private restartLater(lived: number): void {
    if (lived >= HEALTHY_AFTER) {
      this.pause = this.firstPause;
    }
    this.timer = setTimeout(() => {
      this.start();
      this.options.onRestart();
    }, this.pause);
    this.pause = Math.min(this.pause * 2, MAX_PAUSE);
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
