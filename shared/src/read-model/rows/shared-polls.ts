import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import { areRevisionsInterchangeable } from "../page-token.ts";
import type { ReadModel, StatusAnswer, StatusQuery } from "../read-model.ts";
import { matchesOnlyProblems } from "./row-filter.ts";
import { filterCacheKey } from "./summary-cache.ts";

/**
 * Time for which the answer to a poll is given to further clients, ms. Longer for lists of more than the problems: they
 * are long and change all the time, and a single change in them is not urgent.
 */
const sharedForMs = { problems: 500, anyRow: 1_500 } as const;
/** Maximum number of answers, and of lists, that are remembered. */
const maxRemembered = 64;

type Answer = Promise<Result<StatusAnswer, Refusal>>;
type Remembered<T> = { readonly atMs: number; readonly value: T };

/**
 * Shares answers to polls among the clients that follow the same list: those with `changesOnly`. All clients that poll
 * within the time of `sharedForMs` get the revision of the first of them, so that they ask the same the next time. A client may so
 * receive a change twice, and the time of a realm's last message one sweep later.
 *
 * @returns status queries of `model`; all others are answered by the model itself
 */
export function sharedPolls(model: Pick<ReadModel, "status">): ReadModel["status"] {
  const answers = new RecentValues<Answer>();
  const revisions = new RecentValues<string>();

  async function poll(query: StatusQuery, list: string, forMs: number): Answer {
    const answer = await model.status(query);
    if (!answer.ok || answer.value.full) return answer;
    const { revision } = answer.value;
    const first = revisions.of(list, query.nowMs, forMs);
    if (first !== undefined && areRevisionsInterchangeable(first, revision))
      return { ok: true, value: { ...answer.value, revision: first } };
    revisions.set(list, { atMs: query.nowMs, value: revision });
    return answer;
  }

  return (query) => {
    const isShared = query.changesOnly && query.changedSince !== "" && query.atMs === undefined;
    // The time of a query about overdue rows is part of its filter, so that no other client asks the same.
    if (!isShared || query.overdueAtMs !== undefined) return model.status(query);
    const { sort, omitRealms, summaryOnly, byRealm, byLabel, changedSince, nowMs } = query;
    const list = JSON.stringify([filterCacheKey(query), sort, omitRealms, summaryOnly, byRealm, byLabel]);
    const name = `${list} ${changedSince}`;
    const forMs = sharedForMs[matchesOnlyProblems(query) ? "problems" : "anyRow"];
    const known = answers.of(name, nowMs, forMs);
    if (known !== undefined) return known;
    const answer = poll(query, list, forMs);
    answers.set(name, { atMs: nowMs, value: answer });
    return answer;
  };
}

/** Values of the last moments, by name. */
class RecentValues<T> {
  readonly #values = new Map<string, Remembered<T>>();

  of(name: string, nowMs: number, forMs: number): T | undefined {
    const known = this.#values.get(name);
    const ageMs = known === undefined ? -1 : nowMs - known.atMs;
    return ageMs >= 0 && ageMs < forMs ? known?.value : undefined;
  }

  set(name: string, value: Remembered<T>): void {
    this.#values.delete(name);
    this.#values.set(name, value);
    for (const [oldest, { atMs }] of this.#values) {
      if (this.#values.size <= maxRemembered && value.atMs - atMs < sharedForMs.anyRow) return;
      this.#values.delete(oldest);
    }
  }
}
