import type { Clock } from "@realmwatch/shared/model/clock";
import type { RowChange } from "@realmwatch/shared/row/row";
import { keyOfChange } from "@realmwatch/shared/row/row";
import { encodeRowChange } from "@realmwatch/shared/row/state-row";
import { stateSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { SendResult } from "../jetstream-sender.ts";
import type { PublicationTools } from "../unpublished-items.ts";
import { type AcknowledgedRowSet, AcknowledgedRows } from "./acknowledged-rows.ts";
import type { AllRows } from "./all-rows.ts";
import { RefusedRows } from "./refused-rows.ts";
import { changedObjectRef, RowOutbox } from "./row-outbox.ts";

/** Number of rows in flight. Together with the window of the event publisher it stays below 256. */
const windowSize = 192;

/** Publishes changes of rows, and at the start of an epoch all rows. */
export class RowPublisher {
  readonly #options: PublicationTools;
  readonly #clock: Clock;
  readonly #outbox = new RowOutbox();
  readonly #acknowledged = new AcknowledgedRows();
  readonly #refused: RefusedRows;
  /** Rows of the last `publishAll`; undefined before. */
  #all: AllRows | undefined;
  #revision = 0;
  #sampleBytes = 0;
  #timerDueMs = Number.POSITIVE_INFINITY;
  #cancelTimer = (): void => {};

  constructor(options: PublicationTools) {
    this.#options = options;
    this.#clock = options.clock;
    this.#refused = new RefusedRows(options.clock);
    options.sender.onOpen(() => {
      this.#repeat(this.#refused.due(options.sender.connection()));
      this.#sendDue();
    });
  }

  put(changes: readonly { readonly change: RowChange; readonly urgent: boolean }[]): void {
    const nowMs = this.#clock.monotonic();
    const [first] = changes;
    if (this.#sampleBytes === 0 && first !== undefined) this.#sampleBytes = this.#encode(first.change, 0).length;
    for (const { change, urgent } of changes) {
      this.#revision = Math.max(this.#revision, change.kind === "put" ? change.row.revision : change.revision);
      this.#outbox.put(change, urgent, nowMs);
    }
    this.#sendDue();
  }

  /**
   * Starts an epoch, or the current one again, and publishes all its rows as capacity allows. Drops pending rows and
   * those of an earlier call, since all are sent. Changes wait for the first call.
   */
  publishAll(epoch: number, all: AllRows): void {
    this.#all = all;
    this.#outbox.startEpoch(epoch);
    this.#refused.startEpoch(epoch);
    this.#acknowledged.startEpoch(epoch);
    this.#sendDue();
  }

  waiting(): number {
    return this.#outbox.size;
  }

  inFlight(): number {
    return this.#outbox.inFlight;
  }

  /** Greatest revision of any change so far. */
  revision(): number {
    return this.#revision;
  }

  /** Rows that were sent: those that the stream has acknowledged, and with those that it refused. */
  acknowledged(): AcknowledgedRowSet {
    return this.#acknowledged.set;
  }

  /** Age of the oldest change that is due and not acknowledged, ms; 0 for none. */
  unstoredMs(): number {
    return this.#outbox.lateMs(this.#clock.monotonic());
  }

  /** Size of the message of the first row that was put, bytes; 0 before. */
  sampleBytes(): number {
    return this.#sampleBytes;
  }

  close(): void {
    this.#cancelTimer();
  }

  #sendDue(): void {
    const { sender } = this.#options;
    while (this.#all !== undefined && sender.isOpen() && this.#outbox.inFlight < windowSize) {
      const change = this.#outbox.next(this.#clock.monotonic()) ?? this.#nextOfAll();
      if (change === undefined) break;
      void this.#send(change);
    }
    this.#armTimer();
  }

  /** Next row of all rows whose object has no change in flight. Others wait in the outbox like a change. */
  #nextOfAll(): RowChange | undefined {
    for (let row = this.#all?.next(); row !== undefined; row = this.#all?.next()) {
      this.#outbox.put(row, true, this.#clock.monotonic());
      const change = this.#outbox.next(this.#clock.monotonic());
      if (change !== undefined) return change;
    }
    return undefined;
  }

  async #send(change: RowChange): Promise<void> {
    const { realm, sender } = this.#options;
    const key = keyOfChange(change);
    const published = this.#acknowledged.nextNumber();
    const data = this.#encode(change, published.number);
    const sent = await sender.send({ subject: stateSubject(realm, key), data });
    this.#acknowledged.settle(published, sent.kind === "unknown" ? undefined : { kind: sent.kind, change });
    this.#outbox.settle(change, sent.kind !== "unknown", this.#clock.monotonic());
    const ref = changedObjectRef(change);
    this.#noteOutcome(ref, change, sent);
    // If a newer change is pending, its acknowledgement is the one that `publishAll` waits for.
    if (sent.kind !== "unknown" && !this.#outbox.hasPending(ref)) this.#all?.acknowledge(ref);
    this.#sendDue();
  }

  /** [FD70] A refused row stays in the claim, and is sent again when that may succeed. */
  #noteOutcome(ref: string, change: RowChange, sent: SendResult): void {
    const { unpublished } = this.#options;
    if (sent.kind === "refused") {
      this.#refused.set(ref, change);
      unpublished.set("row", ref, sent.reason);
    }
    if (sent.kind !== "stored") return;
    unpublished.delete("row", ref);
    // The change that allowed this row may allow the other refused ones.
    if (this.#refused.delete(ref)) this.#repeat(this.#refused.some());
  }

  #repeat(changes: readonly RowChange[]): void {
    for (const change of changes)
      if (!this.#outbox.isWaiting(changedObjectRef(change))) this.#outbox.put(change, true, this.#clock.monotonic());
  }

  #armTimer(): void {
    const { sender } = this.#options;
    const dueMs = this.#outbox.nextDueMs;
    if (dueMs === undefined || dueMs === 0 || !sender.isOpen() || dueMs >= this.#timerDueMs) return;
    this.#cancelTimer();
    this.#timerDueMs = dueMs;
    this.#cancelTimer = this.#clock.after(dueMs - this.#clock.monotonic(), () => {
      this.#timerDueMs = Number.POSITIVE_INFINITY;
      this.#sendDue();
    });
  }

  #encode(change: RowChange, published: number): Uint8Array {
    const { realm, clock, sender } = this.#options;
    return encodeRowChange(change, { realm, atMs: clock.now(), published }, sender.maxMessageBytes());
  }
}
