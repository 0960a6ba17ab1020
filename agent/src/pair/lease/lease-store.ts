import type { Result } from "@realmwatch/shared/model/result";

/** Lease of a realm, as it stands in the stream. */
export type Lease = {
  /** Name of the active member. */
  readonly member: string;
  /** Id of its process. */
  readonly instance: string;
  /** Epoch that it minted when it became active; `term` and `epoch` are the same number until rows are renumbered. */
  readonly term: number;
  /** Epoch of its rows. */
  readonly epoch: number;
  /** True while the standby has everything that the active member has acknowledged: only then it may promote itself. */
  readonly inSync: boolean;
  /** True when the active member has given the realm up: the standby may take over at once. */
  readonly goodbye: boolean;
  /** Wall clock of the writer, Unix ms. For people: nothing is decided by it. */
  readonly at: number;
  /** Length of the lease at its writer, ms; absent in one of an older build. A challenger waits for the longer one. */
  readonly leaseMs?: number;
};

/** Answer of the leader of the stream. */
export type LeaseReading = {
  /** Random identity of the stream, from its description: a stream that was made anew has another. */
  readonly stream: string;
  /** Sequence number of the message; 0 for none. */
  readonly seq: number;
  /** Undefined when the stream has no lease of the realm, or one that cannot be parsed. */
  readonly lease: Lease | undefined;
  /** Reason why the message with that sequence number is not a lease, as a sentence; absent when it is one, or there is none. */
  readonly problem?: string;
};

/** Outcome of a compare-and-set. `unknown`: it may have been written. */
export type LeaseWriting =
  | { readonly kind: "written"; readonly seq: number }
  | { readonly kind: "conflict" }
  | { readonly kind: "unknown"; readonly why: string };

/** Lease of a realm in its stream. Neither method rejects. */
export interface LeaseStore {
  /** Asks the leader of the stream. Fails with a sentence. */
  read(): Promise<Result<LeaseReading, string>>;
  /** Replaces the message with the sequence number `expectedSeq`; 0 where there must be none. */
  write(lease: Lease, expectedSeq: number): Promise<LeaseWriting>;
}
