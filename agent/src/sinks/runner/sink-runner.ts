import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { never } from "@realmwatch/shared/model/never";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { RandomSource } from "@realmwatch/shared/platform/random";
import { deliveryBackoffMs } from "../../platform/outbound/delivery-backoff.ts";
import type { DeliveryFailure } from "../../platform/outbound/delivery-result.ts";
import type { EntrySource } from "../log/entry-source.ts";
import type { SinkSendResult } from "../send-result.ts";
import type { SinkBatch } from "../sink-entry.ts";
import type { SinkWriter } from "../sink-type.ts";
import { PendingBatch } from "./pending-batch.ts";
import { SinkHealth, type SinkStatus } from "./sink-health.ts";

type SinkRunnerOptions<B extends SinkBatch> = {
  readonly name: string;
  readonly batchSize: number;
  readonly flushIntervalMs: number;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Pick<Log, "info" | "warn">;
  readonly source: EntrySource<B["entries"][number]>;
  readonly matches: (entry: B["entries"][number]) => boolean;
  readonly batchOf: (entries: readonly B["entries"][number][]) => B;
  readonly writer: SinkWriter;
  /** Position of the first entry to deliver. */
  readonly position: number;
  /** Stores the position of the next entry to deliver. */
  readonly saveCursor: (position: number) => void;
  /** Health of the same sink before its configuration changed. */
  readonly earlier?: SinkHealth | undefined;
};

/** A sink at work. */
export interface SinkRunner {
  readonly health: SinkHealth;
  /** Position of the first entry that is not delivered; older ones are not needed any more. */
  position(): number;
  status(): SinkStatus;
  /** Announces new entries in the source. */
  wake(): void;
  reopen(): void;
  /**
   * Stops after the attempt in progress, which is aborted after `graceMs`. With `flush` the waiting entries are offered
   * once more.
   */
  stop(options: { readonly flush: boolean; readonly graceMs: number }): Promise<void>;
}

/** Time without matching entries after which the cursor is moved over the others, ms. */
const idleCursorMs = 1_000;

/**
 * Delivers a source's entries to one writer: one batch at a time and in order. A batch is complete with `batchSize`
 * entries or `flushIntervalMs` after its first one. A failed batch is offered again until it is delivered or refused,
 * and what follows it waits in the log.
 */
export function startSinkRunner<B extends SinkBatch>(options: SinkRunnerOptions<B>): SinkRunner {
  const { name, batchSize, flushIntervalMs, clock, random, log, source, batchOf, writer } = options;
  const health = new SinkHealth(options.earlier);
  const pending = new PendingBatch(source, options.matches, options.position);
  const stopping = new AbortController();
  const aborting = new AbortController();
  let position = options.position;
  let heldEntries = 0;
  /** Time at which the oldest held entry was recorded, Unix ms. */
  let heldSinceMs: number | undefined;
  let pendingSinceMs: number | undefined;
  let savedAtMs = clock.monotonic();
  let nudge = (): void => {};
  let flushOnStop = false;

  const running = run();

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      // A failed batch is repeated unchanged: a receiver that took it all the same may recognise it.
      const { lost, more } = health.failures > 0 ? { lost: 0, more: false } : pending.fill(batchSize);
      if (lost > 0) noteLost(lost);
      if (pending.entries.length > 0) pendingSinceMs ??= clock.monotonic();
      const waitMs = waitForMore();
      if (waitMs > 0) await (more ? sleep(clock, 0) : waitForEntries(waitMs));
      else await step();
    }
    if (flushOnStop && (pending.entries.length > 0 || heldEntries > 0)) await lastAttempt();
  }

  /** Time until the next attempt is due, ms. */
  function waitForMore(): number {
    const nowMs = clock.monotonic();
    const flushAtMs = heldEntries > 0 ? (writer.flushAtMs?.() ?? Infinity) : Infinity;
    if (pending.entries.length >= batchSize) return 0;
    const batchAtMs =
      pendingSinceMs === undefined ? Infinity : pendingSinceMs + (writer.batchDelayMs ?? flushIntervalMs);
    if (pending.entries.length === 0 && heldEntries === 0) skipUnmatched(nowMs);
    return Math.max(0, Math.min(batchAtMs, flushAtMs) - nowMs);
  }

  /** Moves the position over entries that the selector does not match. */
  function skipUnmatched(nowMs: number): void {
    if (pending.readTo === position) return;
    position = pending.readTo;
    if (nowMs - savedAtMs < idleCursorMs) return;
    savedAtMs = nowMs;
    options.saveCursor(position);
  }

  async function waitForEntries(waitMs: number): Promise<void> {
    const woken = new AbortController();
    nudge = () => woken.abort();
    await sleep(clock, Math.min(waitMs, 3_600_000), woken.signal);
  }

  /** Makes one attempt; after a failure waits until the next one is due. */
  async function step(): Promise<void> {
    const result = await attempt();
    if (result.kind !== "retry" || stopping.signal.aborted) return;
    const delayMs = deliveryBackoffMs(health.failures, random, result.afterMs);
    await sleep(clock, delayMs, stopping.signal);
  }

  async function attempt(): Promise<SinkSendResult> {
    const flushing = pending.entries.length === 0 && heldEntries > 0;
    const count = pending.entries.length;
    const result = flushing
      ? ((await writer.flush?.(aborting.signal)) ?? { kind: "held" as const })
      : await writer.send(batchOf(pending.entries), aborting.signal);
    switch (result.kind) {
      case "held":
        heldEntries += count;
        heldSinceMs ??= pending.recordedAtMs;
        clearPending();
        break;
      case "delivered":
        if (result.dropped) health.dropped(result.dropped, result.reason ?? "refused");
        noteRecovered();
        health.delivered(heldEntries + count - (result.dropped ?? 0), clock.now());
        advance();
        break;
      case "rejected":
        health.rejected(heldEntries + count, result);
        log.warn(logFields(result, { entries: heldEntries + count }), "sink dropped a batch that was refused");
        advance();
        break;
      case "retry":
        noteFailure(result);
        break;
      default:
        never(result);
    }
    return result;
  }

  function noteFailure(failure: DeliveryFailure): void {
    if (aborting.signal.aborted) return;
    const first = health.failures === 0;
    health.failed(failure, clock.now());
    if (first) log.warn(logFields(failure), "sink fails and retries");
  }

  function noteRecovered(): void {
    if (health.failures > 0) log.info({ sink: name, attempts: health.failures }, "sink delivers again");
  }

  function noteLost(lost: number): void {
    health.dropped(lost, "overflow");
    log.warn({ sink: name, entries: lost }, "sink lost entries that were deleted before it could deliver them");
  }

  const logFields = ({ reason, detail, quote }: DeliveryFailure, more: object = {}) => ({
    sink: name,
    reason,
    error: detail,
    ...(quote ? { quote } : {}),
    ...more,
  });

  function clearPending(): void {
    pending.clear();
    pendingSinceMs = undefined;
  }

  function advance(): void {
    clearPending();
    heldEntries = 0;
    heldSinceMs = undefined;
    position = pending.readTo;
    savedAtMs = clock.monotonic();
    options.saveCursor(position);
  }

  async function lastAttempt(): Promise<void> {
    if (pending.entries.length > 0) await attempt();
    if (heldEntries > 0 && !aborting.signal.aborted) await attempt();
  }

  return {
    health,
    position: () => position,
    status: () => ({
      name,
      queued: heldEntries + pending.entries.length + pending.unread,
      lagMs: lagMs(),
      failingSinceMs: health.failingSinceMs,
      lastError: health.lastError,
      lastDeliveredMs: health.lastDeliveredMs,
      counts: health.counts,
    }),
    wake: () => {
      if (pending.entries.length < batchSize) nudge();
    },
    reopen: () => writer.reopen?.(),
    async stop({ flush, graceMs }) {
      flushOnStop = flush;
      stopping.abort();
      nudge();
      const done = new AbortController();
      void sleep(clock, graceMs, done.signal).then(() => aborting.abort());
      await running;
      done.abort();
      options.saveCursor(position);
      await writer.close();
    },
  };

  /** Age of the oldest entry that is not delivered, ms. */
  function lagMs(): number {
    const oldestMs = heldEntries > 0 ? heldSinceMs : pending.recordedAtMs;
    return oldestMs === undefined ? 0 : Math.max(0, clock.now() - oldestMs);
  }
}
