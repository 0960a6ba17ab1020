import type { HistoryPair } from "@realmwatch/shared/model/history";
import type { TakeoverReason } from "@realmwatch/shared/model/pair-status";
import type { Result } from "@realmwatch/shared/model/result";
import type { Lease } from "../lease/lease-store.ts";
import type { GivingUp, JournalMark } from "./member-facts.ts";

/** Record for the history. */
export type PairRecord = HistoryPair & {
  readonly kind: "PAIR_TAKEOVER" | "PAIR_DEGRADED" | "PAIR_RECOVERED";
};

/**
 * Work for the driver. The actions of one step are done in their order: `markInJournal` is durable before the next one
 * begins, and before the next promise is sent. Those of a later step do not wait for it, `acknowledge` waits for nothing.
 */
export type MemberAction =
  | { readonly kind: "readLease" }
  | { readonly kind: "writeLease"; readonly lease: Lease; readonly expectedSeq: number }
  /** Stores the mark. When that fails, a `writeLease` behind it is not sent but answered as `unknown`. */
  | { readonly kind: "markInJournal"; readonly mark: JournalMark }
  /** Opens the journal and starts the agent with this epoch. Answered by `dutyStarted` or `dutyFailed`. */
  | { readonly kind: "startDuty"; readonly epoch: number; readonly reason: TakeoverReason }
  /**
   * Ends the duty. `fenced`: another member is active, nothing is awaited. Otherwise what is under way may end, and the
   * last groups are shipped. Answered by `dutyStopped`.
   */
  | { readonly kind: "stopDuty"; readonly why: GivingUp | "fenced" }
  /**
   * Sets when a group counts as acknowledged: `alone` with the own disk only, otherwise with both disks. Takes effect at
   * once, before the next event: what was not yet acknowledged obeys it. The next `progress` counts on that.
   */
  | { readonly kind: "acknowledge"; readonly alone: boolean }
  | { readonly kind: "answerSwitch"; readonly answer: Result<undefined, string> }
  | { readonly kind: "answerPromote"; readonly answer: Result<undefined, string> }
  | { readonly kind: "record"; readonly record: PairRecord }
  /** The process may end. */
  | { readonly kind: "exit" };
