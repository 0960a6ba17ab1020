import type { Clock } from "@realmwatch/shared/model/clock";
import type { RowChange } from "@realmwatch/shared/row/row";
import { encodeRowChange } from "@realmwatch/shared/row/state-row";
import { stateSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { JetStreamSender, SendResult } from "../jetstream-sender.ts";
import type { UnpublishedItems } from "../unpublished-items.ts";
import { type AcknowledgedRowSet, AcknowledgedRows } from "./acknowledged-rows.ts";
import { RefusedRows } from "./refused-rows.ts";
import { changedObjectRef, RowOutbox } from "./row-outbox.ts";

/** Number of rows in flight. Together with the window of the event publisher it stays below 256. */
const windowSize = 192;

export type RowPublisher = {
  put(changes: readonly { readonly change: RowChange; readonly urgent: boolean }[]): void;
  /** Publishes all `rows` as capacity allows, then calls `done` with their number. Changes wait for the first call. */
  sendAll(rows: Iterable<RowChange>, done: (rows: number) => void): void;
  /**
   * Starts an epoch, or the current one again: cancels a running `sendAll` and drops pending rows, since all rows are
   * sent.
   */
  startEpoch(epoch: number): void;
  /** True while a `sendAll` runs. */
  isPublishingAll(): boolean;
  waiting(): number;
  inFlight(): number;
  /** Greatest revision of any change so far. */
  revision(): number;
  /** Rows that were sent: those that the stream has acknowledged, and with those that it refused. */
  acknowledged(): AcknowledgedRowSet;
  /** Age of the oldest change that is due and not acknowledged, ms; 0 for none. */
  unstoredMs(): number;
  /** Size of the message of the first row that was put, bytes; 0 before. */
  sampleBytes(): number;
  close(): void;
};

/** State of a running `sendAll`: the rows still to be sent, and the references of those not acknowledged. */
type FullPublish = {
  readonly rows: Iterator<RowChange>;
  readonly unacknowledged: Set<string>;
  count: number;
  exhausted: boolean;
  readonly done: (rows: number) => void;
};

export function openRowPublisher(io: {
  readonly realm: string;
  readonly clock: Clock;
  readonly sender: JetStreamSender;
  readonly unpublished: UnpublishedItems;
}): RowPublisher {
  const { clock, sender, realm, unpublished } = io;
  const outbox = new RowOutbox();
  const acknowledged = new AcknowledgedRows();
  const refused = new RefusedRows(clock);
  let full: FullPublish | undefined;
  let started = false;
  let revision = 0;
  let sampleBytes = 0;
  let armedForMs = Number.POSITIVE_INFINITY;
  let cancelTimer = (): void => {};
  sender.onOpen(() => {
    repeatRefused(refused.due(sender.connection()));
    sendDue();
  });

  function sendDue(): void {
    while (started && sender.isOpen() && outbox.inFlight < windowSize) {
      const change = outbox.next(clock.monotonic()) ?? nextOfFull();
      if (change === undefined) break;
      void send(change);
    }
    armTimer();
  }

  /** Next row of `sendAll` whose object has no change in flight. Others wait in the outbox like a change. */
  function nextOfFull(): RowChange | undefined {
    if (full === undefined || full.exhausted) return undefined;
    const { value: row, done } = full.rows.next();
    if (done || row === undefined) {
      full.exhausted = true;
      finishFull();
      return undefined;
    }
    full.count++;
    full.unacknowledged.add(changedObjectRef(row));
    outbox.put(row, true, clock.monotonic());
    return outbox.next(clock.monotonic()) ?? nextOfFull();
  }

  const encode = (change: RowChange, published: number): Uint8Array =>
    encodeRowChange(change, { realm, atMs: clock.now(), published }, sender.maxMessageBytes());

  async function send(change: RowChange): Promise<void> {
    const key = change.kind === "put" ? change.row.about.key : change.key;
    const published = acknowledged.nextNumber();
    const sent = await sender.send({ subject: stateSubject(realm, key), data: encode(change, published.number) });
    acknowledged.settle(published, sent.kind === "unknown" ? undefined : { kind: sent.kind, change });
    outbox.settle(change, sent.kind !== "unknown", clock.monotonic());
    const ref = changedObjectRef(change);
    noteOutcome(ref, change, sent);
    // If a newer change is pending, its acknowledgement is the one that `sendAll` waits for.
    if (sent.kind !== "unknown" && !outbox.hasPending(ref) && full?.unacknowledged.delete(ref)) finishFull();
    sendDue();
  }

  /** [FD70] A refused row stays in the claim, and is sent again when that may succeed. */
  function noteOutcome(ref: string, change: RowChange, sent: SendResult): void {
    if (sent.kind === "refused") {
      refused.set(ref, change);
      unpublished.set("row", ref, sent.reason);
    }
    if (sent.kind !== "stored") return;
    unpublished.delete("row", ref);
    // The change that allowed this row may allow the other refused ones.
    if (refused.delete(ref)) repeatRefused(refused.some());
  }

  function repeatRefused(changes: readonly RowChange[]): void {
    for (const change of changes)
      if (!outbox.isWaiting(changedObjectRef(change))) outbox.put(change, true, clock.monotonic());
  }

  function finishFull(): void {
    if (full === undefined || !full.exhausted || full.unacknowledged.size > 0) return;
    const { done, count } = full;
    full = undefined;
    done(count);
  }

  function armTimer(): void {
    const dueMs = outbox.nextDueMs;
    if (dueMs === undefined || dueMs === 0 || !sender.isOpen() || dueMs >= armedForMs) return;
    cancelTimer();
    armedForMs = dueMs;
    cancelTimer = clock.after(dueMs - clock.monotonic(), () => {
      armedForMs = Number.POSITIVE_INFINITY;
      sendDue();
    });
  }

  return {
    put(changes) {
      const nowMs = clock.monotonic();
      const [first] = changes;
      if (sampleBytes === 0 && first !== undefined) sampleBytes = encode(first.change, 0).length;
      for (const { change, urgent } of changes) {
        revision = Math.max(revision, change.kind === "put" ? change.row.revision : change.revision);
        outbox.put(change, urgent, nowMs);
      }
      sendDue();
    },
    sendAll(rows, done) {
      started = true;
      full = { rows: rows[Symbol.iterator](), unacknowledged: new Set(), count: 0, exhausted: false, done };
      sendDue();
    },
    startEpoch(epoch) {
      full = undefined;
      outbox.startEpoch(epoch);
      refused.startEpoch(epoch);
      acknowledged.startEpoch(epoch);
    },
    isPublishingAll: () => full !== undefined,
    waiting: () => outbox.size,
    inFlight: () => outbox.inFlight,
    revision: () => revision,
    acknowledged: () => acknowledged.set,
    unstoredMs: () => outbox.lateMs(clock.monotonic()),
    sampleBytes: () => sampleBytes,
    close: () => cancelTimer(),
  };
}
