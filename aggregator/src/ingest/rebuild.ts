import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { NatsConnection } from "nats";
import type { RealmWrite } from "../realms/realm-write.ts";
import { replayStream } from "./ingest.ts";

/** Store of rebuilt realms, see `RedisStore`. */
export type RebuildStore = {
  lockRebuild(token: string, forMs: number): Promise<RebuildLock | undefined>;
  beginBuild(realm: string, token: string): Promise<void>;
  finishBuild(
    realm: string,
    token: string,
    built: { readonly part: "rows"; readonly storedAtMs: number | undefined } | { readonly part: "history" },
  ): Promise<boolean>;
  write(batch: RealmWrite): Promise<void>;
};
type RebuildLock = { renew(forMs: number): Promise<void>; release(): Promise<void> };

export type RebuildOptions = {
  readonly bus: NatsBus;
  readonly store: RebuildStore;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  /** Creates a unique token for a rebuild. */
  readonly mintToken: () => string;
  /** Returns the realms that currently need a rebuild. */
  readonly realmsToRebuild: () => Promise<readonly string[]>;
  readonly historyRetentionMs: number;
  readonly onRebuilt: (realm: string) => void;
};

export type Rebuilder = {
  /** Checks now whether a realm needs a rebuild. */
  checkNow(): void;
  close(): Promise<void>;
};

const lockForMs = 30_000;
const retryAfterMs = 1_000;

/**
 * Rebuilds realms that Redis has lost from JetStream, without the agents. One aggregator rebuilds at a time; a rebuild
 * during which Redis is emptied again does not count.
 */
export function openRebuilder(options: RebuildOptions): Rebuilder {
  const { clock, log, realmsToRebuild } = options;
  const closing = new AbortController();
  let wake = new AbortController();
  const ended = (async () => {
    // The caller is still constructing itself: its callbacks may be called only after that.
    await sleep(clock, 0, closing.signal);
    while (!closing.signal.aborted) {
      try {
        const realms = await realmsToRebuild();
        const connection = options.bus.live();
        if (realms.length > 0 && connection) await rebuild(connection, options, closing.signal);
      } catch (error) {
        log.warn({ why: error instanceof Error ? error.message : String(error) }, "rebuild: failed, retrying");
      }
      await sleep(clock, retryAfterMs, AbortSignal.any([closing.signal, wake.signal]));
      wake = new AbortController();
    }
  })();
  return {
    checkNow: () => wake.abort(),
    async close() {
      closing.abort();
      await ended;
    },
  };
}

async function rebuild(connection: NatsConnection, options: RebuildOptions, closing: AbortSignal): Promise<void> {
  const { store, clock, log, mintToken, realmsToRebuild } = options;
  const token = mintToken();
  const lock = await store.lockRebuild(token, lockForMs);
  if (lock === undefined) return;
  try {
    // The previous holder of the lock may have rebuilt all realms.
    const realms = await realmsToRebuild();
    if (realms.length === 0) return;
    const startedMs = clock.monotonic();
    log.info({ realms: realms.length }, "rebuild: reading the streams");
    const context = { connection, options, token, lock, closing };
    const rebuilt = await rebuildRows(realms, context);
    for (const realm of rebuilt) options.onRebuilt(realm);
    log.info({ realms: rebuilt.length, ms: Math.round(clock.monotonic() - startedMs) }, "rebuild: rows are complete");
    await rebuildHistory(rebuilt, context);
  } finally {
    await lock.release().catch(() => {});
  }
}

type RebuildContext = {
  readonly connection: NatsConnection;
  readonly options: RebuildOptions;
  readonly token: string;
  readonly lock: RebuildLock;
  readonly closing: AbortSignal;
};

/** @returns the realms whose rebuild is complete */
async function rebuildRows(realms: readonly string[], context: RebuildContext): Promise<readonly string[]> {
  const { store } = context.options;
  const storedAtMs = new Map<string, number>();
  for (const realm of realms) await store.beginBuild(realm, context.token);
  await replay("state", realms, context, (realm, atMs) =>
    storedAtMs.set(realm, Math.max(storedAtMs.get(realm) ?? 0, atMs)),
  );
  const rebuilt = [];
  for (const realm of realms)
    if (await store.finishBuild(realm, context.token, { part: "rows", storedAtMs: storedAtMs.get(realm) }))
      rebuilt.push(realm);
  return rebuilt;
}

async function rebuildHistory(realms: readonly string[], context: RebuildContext): Promise<void> {
  await replay("events", realms, context, () => {});
  for (const realm of realms) await context.options.store.finishBuild(realm, context.token, { part: "history" });
}

async function replay(
  stream: "state" | "events",
  realms: readonly string[],
  { connection, options, lock, closing }: RebuildContext,
  onStored: (realm: string, atMs: number) => void,
): Promise<void> {
  const { store, clock, historyRetentionMs } = options;
  let renewedMs = clock.monotonic();
  await replayStream(connection, {
    stream,
    realms,
    sinceMs: stream === "events" ? Math.max(0, clock.now() - historyRetentionMs) : 0,
    options: {
      clock,
      isListed: (realm) => realms.includes(realm),
      async write(batch) {
        closing.throwIfAborted();
        await store.write(batch);
        if (clock.monotonic() - renewedMs < lockForMs / 3) return;
        renewedMs = clock.monotonic();
        await lock.renew(lockForMs);
      },
      // The ingest has reported these messages already.
      events: { onHeartbeat() {}, onRejected() {}, onUnlisted() {}, onWritten() {}, onWriteFailed() {}, onStored },
    },
  });
}
