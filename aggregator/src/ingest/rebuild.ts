import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { NatsConnection } from "nats";
import type { RealmWrite } from "../realms/realm-write.ts";
import { replayStream } from "./ingest.ts";

/** Where a rebuilt realm is kept; see the Redis room. */
export type RebuildStore = {
  lockRebuild(token: string, forMs: number): Promise<RebuildLock | undefined>;
  beginBuild(realm: string, token: string): Promise<void>;
  finishBuild(
    realm: string,
    token: string,
    built: { readonly what: "rows"; readonly storedAtMs: number | undefined } | { readonly what: "history" },
  ): Promise<boolean>;
  write(batch: RealmWrite): Promise<void>;
};
type RebuildLock = { renew(forMs: number): Promise<void>; release(): Promise<void> };

export type RebuildOptions = {
  readonly bus: NatsBus;
  readonly store: RebuildStore;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  /** Makes the name of a rebuild, unlike every other one. */
  readonly mintToken: () => string;
  /** Which realms have to be rebuilt, read anew at each call. */
  readonly realmsToRebuild: () => Promise<readonly string[]>;
  readonly historyRetentionMs: number;
  readonly onRebuilt: (realm: string) => void;
};

export type Rebuilder = {
  /** Looks whether something has to be rebuilt, now. */
  checkNow(): void;
  close(): Promise<void>;
};

const lockForMs = 30_000;
const retryAfterMs = 1_000;

/**
 * Fills what Redis lost from JetStream, without the agents' help. One aggregator does it at a time; a rebuild
 * during which Redis is emptied again does not count.
 */
export function openRebuilder(options: RebuildOptions): Rebuilder {
  const { clock, log, realmsToRebuild } = options;
  const closing = new AbortController();
  let wake = new AbortController();
  const ended = (async () => {
    // Whoever opens this is still on its way: nothing is asked of it before it is through.
    await sleep(clock, 0, closing.signal);
    while (!closing.signal.aborted) {
      try {
        const realms = await realmsToRebuild();
        const connection = options.bus.live();
        if (realms.length > 0 && connection) await rebuild(connection, options, closing.signal);
      } catch (error) {
        log.warn({ why: error instanceof Error ? error.message : String(error) }, "rebuild: failed, trying again");
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
    // Whoever had the lock before may have done it all.
    const realms = await realmsToRebuild();
    if (realms.length === 0) return;
    const startedMs = clock.monotonic();
    log.info({ realms: realms.length }, "rebuild: reading the streams again");
    const context = { connection, options, token, lock, closing };
    const whole = await rebuildRows(realms, context);
    for (const realm of whole) options.onRebuilt(realm);
    log.info({ realms: whole.length, ms: Math.round(clock.monotonic() - startedMs) }, "rebuild: rows are whole");
    await rebuildHistory(whole, context);
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

/** @returns the realms of which nothing was lost meanwhile */
async function rebuildRows(realms: readonly string[], context: RebuildContext): Promise<readonly string[]> {
  const { store } = context.options;
  const storedAtMs = new Map<string, number>();
  for (const realm of realms) await store.beginBuild(realm, context.token);
  await replay("state", realms, context, (realm, atMs) =>
    storedAtMs.set(realm, Math.max(storedAtMs.get(realm) ?? 0, atMs)),
  );
  const whole = [];
  for (const realm of realms)
    if (await store.finishBuild(realm, context.token, { what: "rows", storedAtMs: storedAtMs.get(realm) }))
      whole.push(realm);
  return whole;
}

async function rebuildHistory(realms: readonly string[], context: RebuildContext): Promise<void> {
  await replay("events", realms, context, () => {});
  for (const realm of realms) await context.options.store.finishBuild(realm, context.token, { what: "history" });
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
    sinceMs: stream === "events" ? Math.max(0, clock.now() - historyRetentionMs) : 0,
    options: {
      isListed: (realm) => realms.includes(realm),
      async write(batch) {
        closing.throwIfAborted();
        await store.write(batch);
        if (clock.monotonic() - renewedMs < lockForMs / 3) return;
        renewedMs = clock.monotonic();
        await lock.renew(lockForMs);
      },
      // Whoever follows the streams has told of these messages already.
      events: { onHeartbeat() {}, onRejected() {}, onUnlisted() {}, onWritten() {}, onStored },
    },
  });
}
