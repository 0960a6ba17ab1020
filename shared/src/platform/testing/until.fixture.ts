import { inspect } from "node:util";
import { sleep } from "../../model/clock.ts";
import { systemClock } from "../system-clock.ts";

type UntilOptions = {
  /** Bound that turns a hang into a failure, ms. Default 60 000. It is not a requirement on speed. */
  readonly withinMs?: number;
  /**
   * Time between two attempts, ms; 0 for one turn of the event loop. Default: a twentieth of the time waited so far,
   * 20 to 100, so that a long wait takes little processor time from other tests.
   */
  readonly everyMs?: number;
  /** Ends the wait early when it returns true, because the condition can no longer be met. */
  readonly stopWhen?: () => boolean;
  /** Returns a value to show in the failure, when the result of the condition alone says little. */
  readonly seen?: () => unknown;
};

type Truthy<T> = Exclude<T, false | 0 | "" | null | undefined>;

/** Result of the last attempt: the falsy value, the error, or that it did not finish. */
type Attempt = { readonly value: unknown } | { readonly error: unknown } | "unfinished";

/**
 * Waits until `condition` returns a truthy value, and returns that value. An attempt that throws counts as not yet met.
 * Rejects after `withinMs` with the label and the last value or error, also when an attempt hangs.
 */
export async function until<T>(
  label: string,
  condition: () => T | Promise<T>,
  { withinMs = 60_000, everyMs, stopWhen, seen }: UntilOptions = {},
): Promise<Truthy<T>> {
  const timeout = new AbortController();
  const cancel = systemClock.after(withinMs, () => timeout.abort());
  const timedOut = new Promise<"unfinished">((resolve) =>
    timeout.signal.addEventListener("abort", () => resolve("unfinished"), { once: true }),
  );
  const startedMs = systemClock.monotonic();
  const pauseMs = () => everyMs ?? Math.min(Math.max((systemClock.monotonic() - startedMs) / 20, 20), 100);
  let last: Attempt = "unfinished";
  try {
    while (!timeout.signal.aborted) {
      const attempt = await Promise.race([attemptOf(condition), timedOut]);
      if (attempt !== "unfinished" || last === "unfinished") last = attempt;
      if (attempt !== "unfinished" && "value" in attempt && attempt.value) return attempt.value as Truthy<T>;
      if (stopWhen?.()) break;
      await (everyMs === 0
        ? new Promise((resolve) => setImmediate(resolve))
        : sleep(systemClock, pauseMs(), timeout.signal));
    }
  } finally {
    cancel();
  }
  const outcome = timeout.signal.aborted ? `not within ${withinMs} ms` : "can no longer happen";
  const shown = seen === undefined ? "" : `; seen: ${inspect(seen(), { depth: 4 })}`;
  throw new Error(`${outcome}: ${label}; ${formatAttempt(last)}${shown}`);
}

async function attemptOf(condition: () => unknown): Promise<Attempt> {
  try {
    return { value: await condition() };
  } catch (error) {
    return { error };
  }
}

function formatAttempt(attempt: Attempt): string {
  if (attempt === "unfinished") return "the condition did not return";
  if ("value" in attempt) return `last value: ${inspect(attempt.value, { depth: 4 })}`;
  return `last error: ${attempt.error instanceof Error ? attempt.error.message : inspect(attempt.error)}`;
}
