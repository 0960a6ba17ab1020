import type { Refusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { EventPublisher } from "../event-publisher.ts";
import type { SequenceNumbers } from "./heartbeat-answer.ts";

/** Numbers of a journal that is an older copy than the one that the aggregator has seen. */
export type OlderCopy = { readonly own: SequenceNumbers; readonly seen: SequenceNumbers };

export type OlderCopyDetection = ReturnType<typeof openOlderCopyDetection>;

/** Detects that the aggregator has seen newer history or commands of the realm than this agent's journal has. */
export function openOlderCopyDetection(io: {
  readonly realm: string;
  readonly log: Pick<Log, "error">;
  readonly events: Pick<EventPublisher, "lastSeq" | "advanced">;
  readonly atStart: SequenceNumbers;
  hasPublished(): boolean;
  lastCommandSeq(): number;
  /** Notes the loss, and continues the numbers after those that the aggregator has seen. */
  onOlderCopy(copy: OlderCopy): Promise<Result<{ readonly lastHistorySeq: number }, Refusal>>;
}) {
  const { realm, log, events } = io;
  let isNoting = false;
  /** Numbers that this agent claims: until it publishes those of its start, which the aggregator then exceeds if at all. */
  const own = (): SequenceNumbers =>
    io.hasPublished() ? { history: events.lastSeq(), command: io.lastCommandSeq() } : io.atStart;

  async function note(copy: OlderCopy): Promise<void> {
    isNoting = true;
    // The aggregator would take the next records for ones that it already has.
    log.error({ realm, ...copy }, "publisher: the aggregator has seen newer data of this realm than this agent has");
    const noted = await io.onOlderCopy(copy);
    if (noted.ok) events.advanced(noted.value.lastHistorySeq);
    isNoting = false;
  }

  return {
    own,
    /** [FD83] Compares the numbers of an answer, before the agent publishes because of it. */
    compare(seen: SequenceNumbers) {
      const mine = own();
      const isNewer = seen.history > mine.history || seen.command > mine.command;
      const isPlausible = Number.isSafeInteger(seen.history) && Number.isSafeInteger(seen.command);
      if (isNewer && isPlausible && !isNoting) void note({ own: mine, seen });
    },
  };
}
