import { setTimeout as sleep } from "node:timers/promises";

export type Patience = {
  /** ms; 15 000 by default. A limit for what should come at once, so that a hang fails: never a speed to meet. */
  readonly limitMs?: number;
  /** Gives up early where what is awaited can no longer come. */
  readonly stopWhen?: () => boolean;
};

type True<T> = Exclude<T, false | 0 | "" | null | undefined>;

/**
 * Waits until `condition` gives something true, and answers it. A condition that throws does not hold yet.
 * Rejects after the limit with `what` and the last error.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  { limitMs = 15_000, stopWhen }: Patience = {},
): Promise<True<T>> {
  const endMs = Date.now() + limitMs;
  let last: unknown;
  do {
    try {
      const value = await condition();
      if (value) return value as True<T>;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (stopWhen?.()) break;
    await sleep(50);
  } while (Date.now() < endMs);
  throw new Error(`not within ${limitMs} ms: ${what}${last instanceof Error ? `; ${last.message}` : ""}`);
}
