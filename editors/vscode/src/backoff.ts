// Pauses between attempts: each is twice as long as the one before, up to a limit.

const FIRST_PAUSE = 1_000;
const MAX_PAUSE = 60_000;

export class Backoff {
  private pause: number;

  constructor(private readonly first = FIRST_PAUSE) {
    this.pause = first;
  }

  /** Returns the pause before the next attempt, in milliseconds. */
  next(): number {
    const { pause } = this;
    this.pause = Math.min(pause * 2, MAX_PAUSE);
    return pause;
  }

  /** The next pause is the first one again. */
  reset(): void {
    this.pause = this.first;
  }
}
