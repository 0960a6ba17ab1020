import type { HistoryEntry } from "@realmwatch/shared/words/history";
import type { Notification } from "@realmwatch/shared/words/notification";
import type { HandlerCall } from "./handler-call.ts";

/** How much a change of an object matters: only fresher, or worth keeping and telling at once. */
export type Weight = "fresher" | "changed";

/** What one round of the loop did, until it is durable and told. */
export type Batch = {
  readonly touched: Map<string, Weight>;
  /** Objects whose row changes though their state does not: something that covers them moved. */
  readonly covered: Set<string>;
  /** Processes to evaluate before the round ends. */
  readonly evaluate: Set<string>;
  readonly history: HistoryEntry[];
  /** Decided on; they go out once they are durable. */
  readonly notifications: Notification[];
  /** Ids of notifications that need no more delivering. */
  readonly delivered: string[];
  readonly handlers: HandlerCall[];
  /** Told once the round is as durable as it gets. */
  readonly waiting: (() => void)[];
  programChanged: boolean;
  /** Greatest sequence of a command in this round; 0 for none. */
  commandSeq: number;
};

export const newBatch = (): Batch => ({
  touched: new Map(),
  covered: new Set(),
  evaluate: new Set(),
  history: [],
  notifications: [],
  delivered: [],
  handlers: [],
  waiting: [],
  programChanged: false,
  commandSeq: 0,
});

/** Notes a touched object; what was once worth telling stays so. */
export function touch(batch: Batch, ref: string, weight: Weight): void {
  if (weight === "changed" || !batch.touched.has(ref)) batch.touched.set(ref, weight);
}
