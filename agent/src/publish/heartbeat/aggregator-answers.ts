import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { isEpochTooFarAhead } from "@realmwatch/shared/wire/nats/epoch-limit";
import type { EventPublisher } from "../event-publisher.ts";
import type { JetStreamSender } from "../jetstream-sender.ts";
import type { FullPublication } from "../rows/full-publication.ts";
import type { HeartbeatSource } from "./heartbeat.ts";
import type { HeartbeatAnswer } from "./heartbeat-answer.ts";
import { type HistoryComparison, openHistoryComparison } from "./history-comparison.ts";
import type { OlderCopyDetection } from "./older-copy.ts";

/** Minimum time between two repetitions of all rows, or of history, ms. */
const repeatAfterMs = 30_000;

type AggregatorAnswersOptions = Omit<HeartbeatSource, "version"> & {
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  readonly sender: Pick<JetStreamSender, "setHeld">;
  readonly publication: FullPublication;
  readonly events: EventPublisher;
  readonly olderCopy: Pick<OlderCopyDetection, "compare">;
};

/** Applies the answers of the aggregators to this agent's publishing. */
export class AggregatorAnswers {
  readonly #options: AggregatorAnswersOptions;
  readonly #mayRepeatRows: () => boolean;
  readonly #history: HistoryComparison;
  #held: { readonly reason: string; readonly instance: string } | undefined;
  #isWaiting = false;
  #refusedEpoch: number | undefined;
  #refused = "";
  /** NATS has lost rows that were not published again yet. */
  #hasLostRows = false;

  constructor(options: AggregatorAnswersOptions) {
    this.#options = options;
    const { clock } = options;
    this.#mayRepeatRows = limiter(clock);
    this.#history = openHistoryComparison({ ...options, mayRepeat: limiter(clock) });
    options.sender.setHeld(true);
  }

  answered(answer: HeartbeatAnswer): void {
    if (answer.instance === "" || answer.instance === this.#options.instance) this.#follow(answer);
    else this.#hold(answer);
  }

  /** Begins to publish without an answer: no aggregator listens. */
  unanswered(): void {
    if (this.#held !== undefined || this.#isWaiting) return;
    const { publication, sender } = this.#options;
    if (publication.isBegun()) return this.#republishLost();
    publication.publishAll();
    sender.setHeld(false);
  }

  /** Publishes the rows that a stream has lost again. */
  rowsLost(): void {
    this.#hasLostRows = true;
    this.#republishLost();
  }

  /** Publishes the history that a stream has lost again. */
  historyLost(): void {
    this.#history.repeatAll();
  }

  /** Reason why this agent must neither publish nor take calls; empty when it or its previous instance is followed. */
  heldReason(): string {
    return this.#held?.reason ?? "";
  }

  /** Instance of another agent that the aggregator follows; undefined when it follows this one. */
  otherInstance(): string | undefined {
    return this.#held?.instance;
  }

  /** True while the aggregator still follows this agent's previous instance: this one takes its calls and does not publish. */
  isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Reason why the aggregator does not show this agent's rows; empty when it does. */
  error(): string {
    if (this.#refusedEpoch !== undefined)
      return `the aggregator holds epoch ${this.#refusedEpoch}, more than 24 h ahead of this agent's clock`;
    return this.#refused === "" ? "" : `the aggregator refuses this agent's rows: ${this.#refused}`;
  }

  /** [FD81] Waits until the aggregator has missed a heartbeat of this agent's previous instance. */
  #waitForSuccession(): void {
    const { realm, log, sender } = this.#options;
    if (!this.#isWaiting) log.info({ realm }, "publisher: the aggregator still awaits this agent's previous instance");
    this.#isWaiting = true;
    sender.setHeld(true);
  }

  #hold({ instance, refused }: HeartbeatAnswer): void {
    const { realm, previousInstance, log, sender } = this.#options;
    if (instance === previousInstance) return this.#waitForSuccession();
    this.#isWaiting = false;
    const reason = refused || `the aggregator follows another agent of this realm, instance ${instance}`;
    if (this.#held?.instance !== instance)
      log.error({ realm, instance, why: reason }, "publisher: another agent publishes this realm, this one stops");
    this.#held = { reason, instance };
    sender.setHeld(true);
  }

  #follow(answer: HeartbeatAnswer): void {
    const { realm, log, sender, publication, olderCopy } = this.#options;
    this.#noteRefused(answer.refused);
    olderCopy.compare(answer.seen);
    const mustPublish = this.#held !== undefined || !publication.isBegun();
    if (this.#held !== undefined) log.info({ realm }, "publisher: the aggregator follows this agent again");
    this.#held = undefined;
    this.#isWaiting = false;
    if (this.#isAcceptableEpoch(answer.greatestEpoch) || this.#isOwnEpochTooFarAhead())
      publication.renewEpoch(answer.greatestEpoch);
    else if (mustPublish) publication.publishAll();
    else if (answer.republish && publication.isComplete()) this.#republish("NATS or the aggregator lacks rows");
    else this.#republishLost();
    sender.setHeld(false);
    if (answer.eventSeq !== undefined) this.#history.compare(answer.eventSeq);
  }

  #noteRefused(why: string): void {
    const { realm, log } = this.#options;
    if (why !== "" && why !== this.#refused)
      log.warn({ realm, why }, "publisher: the aggregator refuses this agent's rows");
    this.#refused = why;
  }

  /** True for an epoch greater than the own one that may be exceeded. */
  #isAcceptableEpoch(epoch: number): boolean {
    const { realm, clock, log, publication } = this.#options;
    const isGreater = epoch > publication.epoch();
    const isRefused = isGreater && isEpochTooFarAhead(epoch, clock.now());
    if (isRefused && this.#refusedEpoch !== epoch)
      log.error(
        { realm, epoch },
        "publisher: the aggregator holds an epoch more than 24 h ahead of this clock, ignored",
      );
    this.#refusedEpoch = isRefused ? epoch : undefined;
    return isGreater && !isRefused;
  }

  /** [FD80] True for an epoch that was minted before this clock was set back: every receiver refuses it. */
  #isOwnEpochTooFarAhead(): boolean {
    const { realm, clock, log, publication } = this.#options;
    const epoch = publication.epoch();
    const isAhead = isEpochTooFarAhead(epoch, clock.now());
    if (isAhead)
      log.warn({ realm, epoch }, "publisher: the own epoch is more than 24 h ahead of this clock, a new one begins");
    return isAhead;
  }

  /** Publishes all rows under a new epoch: a reader that has removed a row ignores the same version of it. */
  #republish(why: string): void {
    if (!this.#mayRepeatRows()) return;
    const { realm, log, publication } = this.#options;
    log.warn({ realm, why }, "publisher: all rows are published again");
    publication.renewEpoch(publication.epoch());
    this.#hasLostRows = false;
  }

  /** Publishes lost rows again, as soon as the last repetition is long enough ago. */
  #republishLost(): void {
    if (this.#hasLostRows) this.#republish("NATS has lost rows");
  }
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
