// The commands of `skein` on checkpoints, steps and sessions, with typed results.
import type { Cli } from "./cli";
import { asCheckpoints, asSessions, type Checkpoint, type Session } from "./documents";

/** The view shows at most this many checkpoints. */
const MAX_CHECKPOINTS = 100;

export class Work {
  constructor(private readonly cli: Cli) {}

  async checkpoints(): Promise<Checkpoint[]> {
    return asCheckpoints(await this.cli.read(["checkpoint", "list", "--full", `--limit=${MAX_CHECKPOINTS}`]));
  }

  async sessions(): Promise<Session[]> {
    return asSessions(await this.cli.read(["session", "list"]));
  }

  /** Closes or reopens a step; refused if it is not as it was shown. */
  async setStep(step: { id: string; text: string }, done: boolean): Promise<void> {
    await this.cli.write(["steps", done ? "done" : "reopen", step.id, `--was=${step.text}`]);
  }

  async handOver(message: string, steps: string[]): Promise<void> {
    const args = ["handoff", "--message", "-", "--new-store", ...steps.map((step) => `--step=${step}`)];
    await this.cli.write(args, { input: message });
  }

  /** The summary of a checkpoint for resuming its work; without an id, that of the open work. */
  brief(id?: string): Promise<string> {
    return this.cli.text(["resume", "--prompt", ...(id === undefined ? [] : [id])]);
  }
}
