import type { Result } from "@realmwatch/shared/model/result";
import type { WriteOperation, WriteResult } from "../write/write-operation.ts";
import type { JournalCounters, JournalPosition, JournalTerm } from "./journal-position.ts";

/** Operations that a journal committed in one transaction, without those that failed and those that stay with a member. */
export type JournalGroup = {
  readonly position: number;
  /** Term of the group; 0 before the first one. */
  readonly term: number;
  readonly ops: readonly WriteOperation[];
  /** Counters after the group. */
  readonly counters: JournalCounters;
};

/** Group as it travels: one line of JSON, without its end. */
export type ShippedGroup = { readonly position: number; readonly line: Uint8Array };

/** Results of a write with the groups that it committed: one, or one for each operation that was written alone. */
export type ShippedWrite = {
  readonly results: readonly WriteResult[];
  readonly groups: readonly ShippedGroup[];
  readonly counters: JournalCounters;
  /** The terms, when the write has begun one. */
  readonly terms?: readonly JournalTerm[];
};

/** Last processed sequence numbers of the readers of a journal, by name. */
export type CursorEntries = readonly (readonly [name: string, seq: number])[];

/** Caller whose write is in a group: a client, which gets an answer, or the engine, which then sends notifications. */
export type GroupWaiter = "client" | "engine";

/** Receiver of what a journal commits, for the other member of a pair. */
export interface GroupShipping {
  /** Called once, when the journal was opened. */
  start(position: JournalPosition, cursors: CursorEntries): void;
  /** Takes groups in the order of their positions, and the cursors that were stored with them. */
  take(write: ShippedWrite, cursors: CursorEntries): void;
  /** Position of the last group that was taken. */
  lastPosition(): number;
  /**
   * Resolves when the group of the position may be answered. Fails with a sentence when the member gave up its role
   * before. Earlier positions of the same waiter resolve first.
   */
  confirmed(position: number, waiter: GroupWaiter): Promise<Result<void, string>>;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const lineEnd = 10;

export const encodeGroup = (group: JournalGroup): Uint8Array => encoder.encode(JSON.stringify(group));

/** Joins groups, each on a line. */
export function joinGroupLines(groups: readonly ShippedGroup[]): Uint8Array {
  const joined = new Uint8Array(groups.reduce((sum, { line }) => sum + line.length + 1, 0));
  let at = 0;
  for (const { line } of groups) {
    joined.set(line, at);
    joined[at + line.length] = lineEnd;
    at += line.length + 1;
  }
  return joined;
}

/** Parses joined groups. Throws when they are malformed. */
export const parseGroupLines = (lines: Uint8Array): readonly JournalGroup[] =>
  decoder
    .decode(lines)
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as JournalGroup);
