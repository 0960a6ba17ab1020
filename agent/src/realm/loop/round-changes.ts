import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { PerfdataSample } from "../../engine/perfdata-sample.ts";
import type { HandlerCall } from "../../handlers/handler-queue.ts";

/**
 * Urgency of writing an object's changed state to the journal.
 *
 * - `background`: written every few seconds; a crash may lose it
 * - `immediate`: written before the round's effects are published
 *
 * Rows of `background` changes are published at a lower rate too.
 */
export type ChangeUrgency = "background" | "immediate";

/**
 * Everything that one round of the realm loop changed. Order of effects:
 *
 * 1. the engine's steps fill it; state in memory is already new
 * 2. `StateWriter.write` appends history, notifications, ended deliveries, and `immediate` states to the journal
 * 3. `afterAppend` callbacks run
 * 4. rows, the catalog, notifications, handler calls and performance data are published
 *
 * The rows and the catalog of a round whose only inputs are commands are published during 2 already: the commands are in the journal, and
 * a crash applies them again. If the append fails, 3 and 4 happen all the same and the writer retries until the journal has everything.
 */
export type RoundChanges = {
  /** Objects whose state changed. */
  readonly objects: Map<string, ChangeUrgency>;
  /** Objects whose rows change although their state does not, because a host, parent or dependency changed. */
  readonly rowsToRefresh: Set<string>;
  /** Processes to evaluate before the round ends. */
  readonly processesToEvaluate: Set<string>;
  readonly history: HistoryEntry[];
  /** Notifications to deliver once they are durable. */
  readonly notifications: Notification[];
  /** Notifications from earlier rounds that are stored again because they changed; they are being delivered already. */
  readonly rewritten: Notification[];
  /** Ids of notifications whose delivery has ended. */
  readonly delivered: string[];
  readonly handlerCalls: HandlerCall[];
  /** Performance data of the accepted results, in their order. */
  readonly samples: PerfdataSample[];
  /** Callbacks for when the append has succeeded or failed. */
  readonly afterAppend: (() => void)[];
  /** Callbacks that receive true when the round, which is written because of them, is durable. */
  readonly probes: ((durable: boolean) => void)[];
  /** True when the state of the deliveries to a contact changed. */
  contactsChanged: boolean;
  programChanged: boolean;
  /** Sequence number of the last command of the round; 0 for none. */
  commandSeq: number;
  /** True when commands are the only cause of the changes, so that a start after a crash makes the same ones. */
  isRepeatable: boolean;
};

export const newRoundChanges = (): RoundChanges => ({
  objects: new Map(),
  rowsToRefresh: new Set(),
  processesToEvaluate: new Set(),
  history: [],
  notifications: [],
  rewritten: [],
  delivered: [],
  handlerCalls: [],
  samples: [],
  afterAppend: [],
  probes: [],
  contactsChanged: false,
  programChanged: false,
  commandSeq: 0,
  isRepeatable: false,
});

/** Adds an object to the round's changes; `immediate` prevails over `background`. */
export function markChanged({ objects }: Pick<RoundChanges, "objects">, ref: string, urgency: ChangeUrgency): void {
  if (urgency === "immediate" || !objects.has(ref)) objects.set(ref, urgency);
}
