import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { isEpochTooFarAhead } from "@realmwatch/shared/wire/nats/epoch-limit";
import type { EventPublisher } from "../event-publisher.ts";
import type { JetStreamSender } from "../jetstream-sender.ts";
import type { FullPublication } from "../rows/full-publication.ts";
import type { HeartbeatAnswer } from "./heartbeat-answer.ts";
import { openHistoryComparison } from "./history-comparison.ts";
import type { OlderCopyDetection } from "./older-copy.ts";

/** Applies the answers of the aggregators to this agent's publishing. */
type AggregatorAnswers = {
  answered(answer: HeartbeatAnswer): void;
  /** Begins to publish without an answer: no aggregator listens. */
  unanswered(): void;
  /** Publishes what a stream has lost again. */
  rowsLost(): void;
  historyLost(): void;
  /** Reason why this agent must neither publish nor take calls; empty when it or its previous instance is followed. */
  heldReason(): string;
  /** Instance of another agent that the aggregator follows; undefined when it follows this one. */
  otherInstance(): string | undefined;
  /** True while the aggregator still follows this agent's previous instance: this one takes its calls and does not publish. */
  isWaiting(): boolean;
  /** Reason why the aggregator does not show this agent's rows; empty when it does. */
  error(): string;
};

/** Minimum time between two repetitions of all rows, or of history, ms. */
const repeatAfterMs = 30_000;

export function openAggregatorAnswers(io: {
  readonly realm: string;
  readonly instance: string;
  readonly previousInstance: string;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  readonly sender: Pick<JetStreamSender, "setHeld">;
  readonly publication: FullPublication;
  readonly events: EventPublisher;
  readonly olderCopy: Pick<OlderCopyDetection, "compare">;
}): AggregatorAnswers {
  const { realm, clock, log, sender, publication, events } = io;
  const mayRepeatRows = limiter(clock);
  const history = openHistoryComparison({ realm, clock, log, events, mayRepeat: limiter(clock) });
  let held: { readonly reason: string; readonly instance: string } | undefined;
  let isWaiting = false;
  let refusedEpoch: number | undefined;
  let refused = "";
  /** NATS has lost rows that were not published again yet. */
  let hasLostRows = false;

  /** [FD81] Waits until the aggregator has missed a heartbeat of this agent's previous instance. */
  function waitForSuccession(): void {
    if (!isWaiting) log.info({ realm }, "publisher: the aggregator still awaits this agent's previous instance");
    isWaiting = true;
    sender.setHeld(true);
  }

  function hold({ instance, refused: why }: HeartbeatAnswer): void {
    if (instance === io.previousInstance) return waitForSuccession();
    isWaiting = false;
    const reason = why || `the aggregator follows another agent of this realm, instance ${instance}`;
    if (held?.instance !== instance)
      log.error({ realm, instance, why: reason }, "publisher: another agent publishes this realm, this one stops");
    held = { reason, instance };
    sender.setHeld(true);
  }

  function follow(answer: HeartbeatAnswer): void {
    noteRefused(answer.refused);
    io.olderCopy.compare(answer.seen);
    const mustPublish = held !== undefined || !publication.isBegun();
    if (held !== undefined) log.info({ realm }, "publisher: the aggregator follows this agent again");
    [held, isWaiting] = [undefined, false];
    if (isAcceptableEpoch(answer.greatestEpoch) || isOwnEpochTooFarAhead())
      publication.renewEpoch(answer.greatestEpoch);
    else if (mustPublish) publication.publishAll();
    else if (answer.republish && publication.isComplete()) republish("NATS or the aggregator lacks rows");
    else republishLost();
    sender.setHeld(false);
    if (answer.eventSeq !== undefined) history.compare(answer.eventSeq);
  }

  function noteRefused(why: string): void {
    if (why !== "" && why !== refused) log.warn({ realm, why }, "publisher: the aggregator refuses this agent's rows");
    refused = why;
  }

  /** True for an epoch greater than the own one that may be exceeded. */
  function isAcceptableEpoch(epoch: number): boolean {
    const isGreater = epoch > publication.epoch();
    const isRefused = isGreater && isEpochTooFarAhead(epoch, clock.now());
    if (isRefused && refusedEpoch !== epoch)
      log.error(
        { realm, epoch },
        "publisher: the aggregator holds an epoch more than 24 h ahead of this clock, ignored",
      );
    refusedEpoch = isRefused ? epoch : undefined;
    return isGreater && !isRefused;
  }

  /** [FD80] True for an epoch that was minted before this clock was set back: every receiver refuses it. */
  function isOwnEpochTooFarAhead(): boolean {
    const epoch = publication.epoch();
    const isAhead = isEpochTooFarAhead(epoch, clock.now());
    if (isAhead)
      log.warn({ realm, epoch }, "publisher: the own epoch is more than 24 h ahead of this clock, a new one begins");
    return isAhead;
  }

  /** Publishes all rows under a new epoch: a reader that has removed a row ignores the same version of it. */
  function republish(why: string): void {
    if (!mayRepeatRows()) return;
    log.warn({ realm, why }, "publisher: all rows are published again");
    publication.renewEpoch(publication.epoch());
    hasLostRows = false;
  }

  /** Publishes lost rows again, as soon as the last repetition is long enough ago. */
  function republishLost(): void {
    if (hasLostRows) republish("NATS has lost rows");
  }

  sender.setHeld(true);
  return {
    answered: (answer) => (answer.instance === "" || answer.instance === io.instance ? follow(answer) : hold(answer)),
    unanswered() {
      if (held !== undefined || isWaiting) return;
      if (publication.isBegun()) return republishLost();
      publication.publishAll();
      sender.setHeld(false);
    },
    rowsLost() {
      hasLostRows = true;
      republishLost();
    },
    historyLost: history.repeatAll,
    heldReason: () => held?.reason ?? "",
    otherInstance: () => held?.instance,
    isWaiting: () => isWaiting,
    error() {
      if (refusedEpoch !== undefined)
        return `the aggregator holds epoch ${refusedEpoch}, more than 24 h ahead of this agent's clock`;
      return refused === "" ? "" : `the aggregator refuses this agent's rows: ${refused}`;
    },
  };
}

/** Returns a function that is true at most once in `repeatAfterMs`. */
function limiter(clock: Clock): () => boolean {
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.monotonic() - lastMs < repeatAfterMs) return false;
    lastMs = clock.monotonic();
    return true;
  };
}
