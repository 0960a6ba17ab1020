import { toBinary } from "@bufbuild/protobuf";
import { StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { RowChange } from "@realmwatch/shared/model/row";
import { stateSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { stateRowOfChange } from "@realmwatch/shared/wire/rows/state-row";
import { RowOutbox, refOfChange } from "./row-outbox.ts";
import type { Sender } from "./jetstream-sender.ts";

/** Rows on their way at one time. Together with the events' window it stays below 256. */
const windowSize = 192;

export type RowLane = {
  put(changes: readonly { readonly change: RowChange; readonly urgent: boolean }[]): void;
  /** Nothing leaves before the first call. Sends every row of `rows` besides, as there is room, and calls `done` with their number once all have arrived. */
  sendAll(rows: Iterable<RowChange>, done: (rows: number) => void): void;
  /** Forgets a `sendAll` under way and rows that wait, since all will be sent. */
  renumber(epoch: number): void;
  /** Whether a `sendAll` is under way. */
  passing(): boolean;
  waiting(): number;
  inFlight(): number;
  /** Greatest revision seen. */
  revision(): number;
  close(): void;
};

/** A pass over all rows: what is still to be taken and what has not arrived yet. */
type Pass = {
  readonly rows: Iterator<RowChange>;
  readonly owed: Set<string>;
  count: number;
  exhausted: boolean;
  readonly done: (rows: number) => void;
};

export function openRowLane(io: {
  readonly realm: string;
  readonly clock: Clock;
  readonly sender: Sender;
  /** Called with the place of each row that arrived. */
  onKept(streamSeq: number): void;
}): RowLane {
  const { clock, sender, realm } = io;
  const outbox = new RowOutbox();
  let pass: Pass | undefined;
  let started = false;
  let revision = 0;
  let armedForMs = Number.POSITIVE_INFINITY;
  let cancelTimer = (): void => {};
  sender.onOpen(pump);

  function pump(): void {
    while (started && sender.open() && outbox.flying < windowSize) {
      const change = outbox.next(clock.monotonic()) ?? nextOfPass();
      if (change === undefined) break;
      void send(change);
    }
    arm();
  }

  /** The next row of the pass that is not on its way just now. One that is waits in the outbox like a change. */
  function nextOfPass(): RowChange | undefined {
    if (pass === undefined || pass.exhausted) return undefined;
    const { value: row, done } = pass.rows.next();
    if (done || row === undefined) {
      pass.exhausted = true;
      finishPass();
      return undefined;
    }
    pass.count++;
    pass.owed.add(refOfChange(row));
    outbox.put(row, true, clock.monotonic());
    return outbox.next(clock.monotonic()) ?? nextOfPass();
  }

  async function send(change: RowChange): Promise<void> {
    const key = change.kind === "put" ? change.row.about.key : change.key;
    const data = toBinary(StateRowSchema, stateRowOfChange(change, { realm, atMs: clock.now() }));
    const sent = await sender.send({ subject: stateSubject(realm, key), data });
    outbox.settle(change, sent.kind !== "unknown", clock.monotonic());
    if (sent.kind === "kept") io.onKept(sent.streamSeq);
    // Where a newer one waits, that one is what the pass is owed.
    const ref = refOfChange(change);
    if (sent.kind !== "unknown" && !outbox.waits(ref) && pass?.owed.delete(ref)) finishPass();
    pump();
  }

  function finishPass(): void {
    if (pass === undefined || !pass.exhausted || pass.owed.size > 0) return;
    const { done, count } = pass;
    pass = undefined;
    done(count);
  }

  function arm(): void {
    const dueMs = outbox.nextDueMs;
    if (dueMs === undefined || dueMs === 0 || !sender.open() || dueMs >= armedForMs) return;
    cancelTimer();
    armedForMs = dueMs;
    cancelTimer = clock.after(dueMs - clock.monotonic(), () => {
      armedForMs = Number.POSITIVE_INFINITY;
      pump();
    });
  }

  return {
    put(changes) {
      const nowMs = clock.monotonic();
      for (const { change, urgent } of changes) {
        revision = Math.max(revision, change.kind === "put" ? change.row.revision : change.revision);
        outbox.put(change, urgent, nowMs);
      }
      pump();
    },
    sendAll(rows, done) {
      started = true;
      pass = { rows: rows[Symbol.iterator](), owed: new Set(), count: 0, exhausted: false, done };
      pump();
    },
    renumber(epoch) {
      pass = undefined;
      outbox.renumber(epoch);
    },
    passing: () => pass !== undefined,
    waiting: () => outbox.size,
    inFlight: () => outbox.flying,
    revision: () => revision,
    close: () => cancelTimer(),
  };
}
