import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { EventPublisher } from "../event-publisher.ts";

export type HistoryComparison = ReturnType<typeof openHistoryComparison>;

/** Greatest age of a sequence number that an aggregator names, ms, with a margin: it reads the stream once a minute. */
const maxAgeMs = 75_000;

/** Compares the stream's history with the journal, and publishes what the stream has lost. */
export function openHistoryComparison(io: {
  readonly realm: string;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  readonly events: Pick<EventPublisher, "ready" | "cursor" | "rewind">;
  /** True when history may be repeated now; called only when it would be. */
  mayRepeat(): boolean;
}) {
  const { realm, clock, log, events } = io;
  /** Cursors of two moments; the first one is older than any answer, or that of the start. */
  let checkpoints = { first: 0, second: 0, secondAtMs: clock.monotonic() };
  void events.ready.then(() => resetCheckpoints(events.cursor()));

  function resetCheckpoints(cursor: number): void {
    checkpoints = { first: cursor, second: cursor, secondAtMs: clock.monotonic() };
  }

  function moveCheckpoints(): void {
    if (clock.monotonic() - checkpoints.secondAtMs < maxAgeMs) return;
    checkpoints = { first: checkpoints.second, second: events.cursor(), secondAtMs: clock.monotonic() };
  }

  function repeatAfter(seq: number): void {
    if (!io.mayRepeat()) return;
    log.warn({ realm, seq }, "publisher: NATS has lost history of this realm, it is published again");
    events.rewind(seq);
    resetCheckpoints(seq);
  }

  return {
    /** Compares the sequence number of the stream's newest record, which may be a minute old, with the journal. */
    compare(stored: number) {
      if (!Number.isSafeInteger(stored)) return;
      moveCheckpoints();
      if (stored < checkpoints.first) repeatAfter(stored);
    },
    /** Publishes the whole history again: the stream was made anew or restored. */
    repeatAll: () => repeatAfter(0),
  };
}
