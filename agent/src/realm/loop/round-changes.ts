import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { HandlerCall } from "../outputs/handler-call.ts";

/**
 * How much a change of an object matters, rising.
 *
 * - `fresher`: told and written now and then
 * - `commanded`: told at once; not written at once, because the command that did it is and would be applied again
 * - `changed`: told and written at once
 */
export type ChangeUrgency = "fresher" | "commanded" | "changed";

/** What one round of the loop did, until it is durable and told. */
export type RoundChanges = {
  readonly objects: Map<string, ChangeUrgency>;
  /** Objects whose row changes though their state does not: something that covers them moved. */
  readonly rowsToRefresh: Set<string>;
  /** Processes to evaluate before the round ends. */
  readonly processesToEvaluate: Set<string>;
  readonly history: HistoryEntry[];
  /** Decided on; they go out once they are durable. */
  readonly notifications: Notification[];
  /** Ids of notifications that need no more delivering. */
  readonly delivered: string[];
  readonly handlerCalls: HandlerCall[];
  /** Told once the round is as durable as it gets. */
  readonly afterAppend: (() => void)[];
  programChanged: boolean;
  /** Sequences of the first and the last command of this round; 0 for none. */
  firstCommandSeq: number;
  commandSeq: number;
};

export const newRoundChanges = (): RoundChanges => ({
  objects: new Map(),
  rowsToRefresh: new Set(),
  processesToEvaluate: new Set(),
  history: [],
  notifications: [],
  delivered: [],
  handlerCalls: [],
  afterAppend: [],
  programChanged: false,
  firstCommandSeq: 0,
  commandSeq: 0,
});

/** Notes a touched object; the greatest weight counts. */
export function markChanged(batch: RoundChanges, ref: string, weight: ChangeUrgency): void {
  const known = batch.objects.get(ref);
  const isGreater = weight === "changed" || known === undefined || known === "fresher";
  if (isGreater) batch.objects.set(ref, weight);
}
