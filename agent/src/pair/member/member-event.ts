import type { Result } from "@realmwatch/shared/model/result";
import type { LeaseReading, LeaseWriting } from "../lease/lease-store.ts";
import type { MemberFacts } from "./member-facts.ts";

/** Instant on both clocks of a machine, read together. */
export type MemberTime = {
  /** Monotonic clock, ms. All spans are measured on it. */
  readonly nowMs: number;
  /**
   * Wall clock, Unix ms. Epochs are minted from it; where it runs ahead of the monotonic clock by more than the margin,
   * the machine was suspended and its right has ended.
   */
  readonly wallMs: number;
};

/** Progress of the standby. Reported to an active member, after each acknowledgement of the standby or each second. */
export type JournalProgress = {
  /** Position of the last group in this member's journal. */
  readonly position: number;
  /** Position that the standby has acknowledged; 0 for none. */
  readonly standbyPosition: number;
  /** Monotonic time at which the oldest group was written that the standby lacks; undefined when it lacks none. */
  readonly laggingSinceMs: number | undefined;
};

/** Something that happened to a member. The driver passes the events on one by one, in the order in which they happened. */
export type MemberEvent =
  /** Time passed: at least every 200 ms. */
  | { readonly kind: "tick" }
  /**
   * Answer to `readLease`. The driver passes on a failure also when the connection to NATS was lost in the meantime, and
   * whenever it is lost: servers that were away may have lost what they had acknowledged.
   */
  | { readonly kind: "leaseRead"; readonly sentAt: MemberTime; readonly reading: Result<LeaseReading, string> }
  /** Answer to `writeLease`. `sentAt` was taken before sending; `unknown` also when the mark before it was not written. */
  | { readonly kind: "leaseWritten"; readonly sentAt: MemberTime; readonly writing: LeaseWriting }
  /**
   * The other member was heard over the link, with the proof of the secret. `answers`: time taken before this member sent
   * the message that this one answers (a response answers its request, a request the response before it); undefined for a
   * first request. `promises`: it brings the promise not to promote.
   */
  | {
      readonly kind: "heard";
      readonly peer: MemberFacts;
      readonly answers: MemberTime | undefined;
      readonly promises: boolean;
    }
  /** The link broke, or a call over it failed. */
  | { readonly kind: "linkLost"; readonly why: string }
  /** A promise is about to be sent. To be passed on before sending, and only where `mayPromise` allows it. */
  | { readonly kind: "promised" }
  /** The standby's journal has everything that the active member of `term` has acknowledged, up to `position`. */
  | { readonly kind: "followedAll"; readonly term: number; readonly position: number }
  /** The own journal is about to be replaced by a snapshot: it is not complete until the next `followedAll`. */
  | { readonly kind: "snapshotBegun" }
  /** Length of the own journal changed while following. */
  | { readonly kind: "followed"; readonly position: number }
  | { readonly kind: "progress"; readonly progress: JournalProgress }
  /** The duty runs: the agent checks and judges. */
  | { readonly kind: "dutyStarted" }
  /** The duty could not start, or ended by itself; nothing of it runs any more. */
  | { readonly kind: "dutyFailed"; readonly why: string }
  /** The duty has ended as asked for: nothing of it runs any more, its last group is in the own journal at `position`. */
  | { readonly kind: "dutyStopped"; readonly position: number }
  /** An epoch was heard of, for example in the centre's answer to a heartbeat. */
  | { readonly kind: "epochHeard"; readonly epoch: number }
  | { readonly kind: "switchRequested" }
  | { readonly kind: "promoteRequested" }
  /** SIGTERM. */
  | { readonly kind: "stopRequested" }
  /** The other side, or the link, refuses this member: another secret, an address that leads to itself, a third member. */
  | { readonly kind: "refused"; readonly why: string };
