// Waits for something to become true in VS Code, which takes longer than on a page of our own.
import { until as untilTimeout } from "../../lib/until.mjs";

export const TIMEOUT = 60_000;

export const until = (condition, what, timeout = TIMEOUT) => untilTimeout(condition, what, timeout);
