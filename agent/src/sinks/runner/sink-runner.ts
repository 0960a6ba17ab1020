import { sleep, withDeadline } from "@realmwatch/shared/model/clock";
import { never } from "@realmwatch/shared/model/never";
import { deliveryBackoffMs } from "../../platform/outbound/delivery-backoff.ts";
import { type DeliveryFailure, retry } from "../../platform/outbound/delivery-result.ts";
import type { EntrySource } from "../log/entry-source.ts";
import type { EventEntry, MetricEntry, SinkBatch, SinkDependencies, SinkSendResult, SinkWriter } from "../sink-type.ts";
import { PendingBatch } from "./pending-batch.ts";
import { SinkHealth, type SinkStatus } from "./sink-health.ts";

type Entry = MetricEntry | EventEntry;

type SinkRunnerOptions = Pick<SinkDependencies, "clock" | "random" | "log" | "right"> & {
  readonly name: string;
  readonly batchSize: number;
  readonly flushIntervalMs: number;
  readonly source: EntrySource<Entry>;
  readonly matches: (entry: Entry) => boolean;
  readonly batchOf: (entries: readonly Entry[]) => SinkBatch;
  readonly writer: SinkWriter;
  /** Position of the first entry to deliver. */
  readonly position: number;
  /** Stores the position of the next entry to deliver. */
  readonly saveCursor: (position: number) => void;
  /** Health of the same sink before its configuration changed, which goes on. */
  readonly earlier?: SinkHealth | undefined;
};

/** Time without matching entries after which the cursor is moved over the others, ms. */
const idleCursorMs = 1_000;

/**
 * Delivers a source's entries to one writer: one batch at a time and in order. A batch is complete with `batchSize`
 * entries or `flushIntervalMs` after its first one. A failed batch is offered again until it is delivered or refused,
 * and what follows it waits in the log. [PA45] In a pair a batch begins only while its timeout fits into the right to act.
 */
export class SinkRunner {
  readonly health: SinkHealth;
  readonly #options: SinkRunnerOptions;
  readonly #pending: PendingBatch<Entry>;
  readonly #stopping = new AbortController();
  readonly #aborting = new AbortController();
  readonly #running: Promise<void>;
  #position: number;
  /** Entries that the writer holds; `sinceMs`: time at which the oldest was recorded, Unix ms. */
  #held: { readonly entries: number; readonly sinceMs: number | undefined } = { entries: 0, sinceMs: undefined };
  #pendingSinceMs: number | undefined;
  #savedAtMs: number;
  #nudge = (): void => {};
  #flushOnStop = false;

  /** Starts to deliver. */
  constructor(options: SinkRunnerOptions) {
    this.#options = options;
    this.health = options.earlier ?? new SinkHealth();
    this.health.failures = 0;
    this.#pending = new PendingBatch(options.source, options.matches, options.position);
    this.#position = options.position;
    this.#savedAtMs = options.clock.monotonic();
    this.#running = this.#run();
  }

  /** Position of the first entry that is not delivered; older ones are not needed any more. */
  get position(): number {
    return this.#position;
  }

  status(): SinkStatus {
    const { failingSinceMs, lastError, lastDeliveredMs, counts } = this.health;
    return {
      name: this.#options.name,
      queued: this.#held.entries + this.#pending.entries.length + this.#pending.unread,
      lagMs: this.#lagMs(),
      failingSinceMs,
      lastError,
      lastDeliveredMs,
      counts,
    };
  }

  /** Announces new entries in the source. */
  wake(): void {
    if (this.#pending.entries.length < this.#options.batchSize) this.#nudge();
  }

  reopen(): void {
    this.#options.writer.reopen?.();
  }

  /**
   * Stops after the attempt in progress, which is aborted after `graceMs`. With `flush` the waiting entries are offered
   * once more.
   */
  async stop({ flush, graceMs }: { readonly flush: boolean; readonly graceMs: number }): Promise<void> {
    const { clock, saveCursor, writer } = this.#options;
    this.#flushOnStop = flush;
    this.#stopping.abort();
    this.#nudge();
    const cancel = clock.after(graceMs, () => this.#aborting.abort());
    await this.#running;
    cancel();
    saveCursor(this.#position);
    await writer.close();
  }

  async #run(): Promise<void> {
    const { clock, batchSize } = this.#options;
    const pending = this.#pending;
    while (!this.#stopping.signal.aborted) {
      // A failed batch is repeated unchanged: a receiver that took it all the same may recognise it.
      const { lost, more } = this.health.failures > 0 ? { lost: 0, more: false } : pending.fill(batchSize);
      if (lost > 0) this.#noteLost(lost);
      if (pending.entries.length > 0) this.#pendingSinceMs ??= clock.monotonic();
      const waitMs = this.#waitForMore();
      if (waitMs > 0) await (more ? sleep(clock, 0) : this.#waitForEntries(waitMs));
      else await this.#step();
    }
    if (this.#flushOnStop) await this.#lastAttempt();
  }

  /** Time until the next attempt is due, ms. */
  #waitForMore(): number {
    const { clock, writer, batchSize, flushIntervalMs } = this.#options;
    const nowMs = clock.monotonic();
    const flushAtMs = this.#held.entries > 0 ? (writer.flushAtMs?.() ?? Infinity) : Infinity;
    const waiting = this.#pending.entries.length;
    if (waiting >= batchSize) return 0;
    const since = this.#pendingSinceMs;
    const batchAtMs = since === undefined ? Infinity : since + (writer.batchDelayMs ?? flushIntervalMs);
    if (waiting === 0 && this.#held.entries === 0) this.#skipUnmatched(nowMs);
    return Math.max(0, Math.min(batchAtMs, flushAtMs) - nowMs);
  }

  /** Moves the position over entries that the selector does not match. */
  #skipUnmatched(nowMs: number): void {
    if (this.#pending.readTo === this.#position) return;
    this.#position = this.#pending.readTo;
    if (nowMs - this.#savedAtMs < idleCursorMs) return;
    this.#savedAtMs = nowMs;
    this.#options.saveCursor(this.#position);
  }

  async #waitForEntries(waitMs: number): Promise<void> {
    const woken = new AbortController();
    this.#nudge = () => woken.abort();
    await sleep(this.#options.clock, Math.min(waitMs, 3_600_000), woken.signal);
  }

  /** Makes one attempt; after a failure waits until the next one is due. */
  async #step(): Promise<void> {
    const { clock, random, right } = this.#options;
    if (right !== undefined && !(await right.whenFits(this.#stopping.signal))) return;
    const result = await this.#attempt();
    if (result.kind !== "retry" || this.#stopping.signal.aborted) return;
    await sleep(clock, deliveryBackoffMs(this.health.failures, random, result.afterMs), this.#stopping.signal);
  }

  async #attempt(): Promise<SinkSendResult> {
    const { clock, log } = this.#options;
    const waiting = this.#pending.entries;
    const offered = this.#held.entries + waiting.length;
    const result = await this.#offer(waiting);
    switch (result.kind) {
      case "held":
        this.#held = { entries: offered, sinceMs: this.#held.sinceMs ?? this.#pending.recordedAtMs };
        this.#clearPending();
        break;
      case "delivered":
        if (result.dropped) this.health.dropped(result.dropped, result.reason ?? "refused");
        this.#noteRecovered();
        this.health.delivered(offered - (result.dropped ?? 0), clock.now());
        this.#advance();
        break;
      case "rejected":
        this.health.rejected(offered, result);
        log.warn({ ...this.#logFields(result), entries: offered }, "sink dropped a batch that was refused");
        this.#advance();
        break;
      case "retry":
        this.#noteFailure(result);
        break;
      default:
        never(result);
    }
    return result;
  }

  /** Offers entries to the writer, in a pair for a limited time. */
  async #offer(waiting: readonly Entry[]): Promise<SinkSendResult> {
    const { writer, batchOf, clock, right } = this.#options;
    const offer = async (signal: AbortSignal): Promise<SinkSendResult> =>
      waiting.length === 0
        ? ((await writer.flush?.(signal)) ?? { kind: "held" })
        : writer.send(batchOf(waiting), signal);
    const { signal } = this.#aborting;
    if (right === undefined || writer.isPatient) return offer(signal);
    const ms = right.batchTimeoutMs;
    return withDeadline({ clock, ms, signal }, async (ending) => {
      const result = await offer(ending);
      const isLate = ending.aborted && !signal.aborted;
      return result.kind === "retry" && isLate ? retry("timeout", `not delivered within ${ms / 1_000} s`) : result;
    });
  }

  #noteFailure(failure: DeliveryFailure): void {
    if (this.#aborting.signal.aborted) return;
    const isFirst = this.health.failures === 0;
    this.health.failed(failure, this.#options.clock.now());
    if (isFirst) this.#options.log.warn(this.#logFields(failure), "sink fails and retries");
  }

  #noteRecovered(): void {
    const { name, log } = this.#options;
    if (this.health.failures > 0) log.info({ sink: name, attempts: this.health.failures }, "sink delivers again");
  }

  #noteLost(lost: number): void {
    const { name, log } = this.#options;
    this.health.dropped(lost, "overflow");
    log.warn({ sink: name, entries: lost }, "sink lost entries that were deleted before it could deliver them");
  }

  #logFields({ reason, detail, quote }: DeliveryFailure): object {
    return { sink: this.#options.name, reason, error: detail, ...(quote ? { quote } : {}) };
  }

  #clearPending(): void {
    this.#pending.clear();
    this.#pendingSinceMs = undefined;
  }

  #advance(): void {
    this.#clearPending();
    this.#held = { entries: 0, sinceMs: undefined };
    this.#position = this.#pending.readTo;
    this.#savedAtMs = this.#options.clock.monotonic();
    this.#options.saveCursor(this.#position);
  }

  async #lastAttempt(): Promise<void> {
    const { right } = this.#options;
    if (right !== undefined && !(await right.fits())) return;
    if (this.#pending.entries.length > 0) await this.#attempt();
    if (right !== undefined && !(await right.fits())) return;
    if (this.#held.entries > 0 && !this.#aborting.signal.aborted) await this.#attempt();
  }

  /** Age of the oldest entry that is not delivered, ms. */
  #lagMs(): number {
    const oldestMs = this.#held.entries > 0 ? this.#held.sinceMs : this.#pending.recordedAtMs;
    return oldestMs === undefined ? 0 : Math.max(0, this.#options.clock.now() - oldestMs);
  }
}
