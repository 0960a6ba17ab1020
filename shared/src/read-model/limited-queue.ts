import type { Refusal } from "../model/refusal.ts";
import { fail, type Result } from "../model/result.ts";

/** Runs one query at a time. Refuses queries with `whenFull` while `most` run or wait. */
export function limitedQueue(most: number, whenFull: string) {
  let queued = 0;
  let previous: Promise<unknown> = Promise.resolve();
  return async <T>(work: () => Promise<Result<T, Refusal>>): Promise<Result<T, Refusal>> => {
    if (queued >= most) return fail({ kind: "exhausted", what: whenFull });
    queued += 1;
    const result = previous.then(work);
    previous = result.catch(() => {});
    return result.finally(() => {
      queued -= 1;
    });
  };
}
