import { type Clock, repeat, sleep } from "@realmwatch/shared/model/clock";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { NatsConnection } from "nats";
import type { RealmWrite } from "../realms/realm-write.ts";
import { replayStream } from "./replay-stream.ts";
import { silentEvents } from "./reread-realm.ts";

/** Store of rebuilt realms, see `RedisStore`. */
type RebuildStore = {
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
  /** Maximum age of history records, ms. */
  readonly historyRetentionMs: number;
  readonly onRebuilt: (realm: string) => void;
};

const lockForMs = 30_000;
const renewEveryMs = 10_000;
const retryAfterMs = 1_000;

/**
 * Rebuilds realms that Redis has lost from JetStream, without the agents. One aggregator rebuilds at a time; a rebuild
 * during which Redis is emptied again does not count.
 */
export function openRebuilder(options: RebuildOptions) {
  const { clock, log, realmsToRebuild } = options;
  const closing = new AbortController();
  let wake = new AbortController();
  const coverage: RebuildCoverage = { realms: new Set(), upToSeq: 0 };
  const ended = (async () => {
    // The caller is still constructing itself: its callbacks may be called only after that.
    await sleep(clock, 0, closing.signal);
    while (!closing.signal.aborted) {
      try {
        const realms = await realmsToRebuild();
        const connection = options.bus.live();
        if (realms.length > 0 && connection) await rebuild(connection, { options, coverage, closing: closing.signal });
      } catch (error) {
        log.warn({ why: errorText(error) }, "rebuild: failed, retrying");
      }
      await sleep(clock, retryAfterMs, AbortSignal.any([closing.signal, wake.signal]));
      wake = new AbortController();
    }
  })();
  return {
    /** Checks now whether a realm needs a rebuild. */
    checkNow: () => wake.abort(),
    /** True for a row message of the state stream that the present rebuild writes, or has written. */
    covers: (realm: string, seq: number) => seq <= coverage.upToSeq && coverage.realms.has(realm),
    async close() {
      closing.abort();
      await ended;
    },
  };
}

/** Realms whose rows are being rebuilt, and the sequence in the state stream up to which they are read. */
type RebuildCoverage = { realms: ReadonlySet<string>; upToSeq: number };

async function rebuild(
  connection: NatsConnection,
  { options, coverage, closing }: Pick<RebuildContext, "options" | "coverage" | "closing">,
): Promise<void> {
  const { store, clock, log, mintToken, realmsToRebuild } = options;
  const token = mintToken();
  const lock = await store.lockRebuild(token, lockForMs);
  if (lock === undefined) return;
  // Not with each write: a slow realm or a stream that is still read may need longer than the lock lasts.
  const stopRenewal = repeat(clock, renewEveryMs, () => {
    lock.renew(lockForMs).catch((error: Error) => log.warn({ why: error.message }, "rebuild: lock not renewed"));
  });
  try {
    // The previous holder of the lock may have rebuilt all realms.
    const realms = await realmsToRebuild();
    if (realms.length === 0) return;
    const startedMs = clock.monotonic();
    log.info({ realms: realms.length }, "rebuild: reading the streams");
    const context = { connection, options, coverage, token, closing };
    const rebuilt = await rebuildRows(realms, context);
    for (const realm of rebuilt) options.onRebuilt(realm);
    log.info({ realms: rebuilt.length, ms: Math.round(clock.monotonic() - startedMs) }, "rebuild: rows are complete");
    await rebuildHistory(rebuilt, context);
  } finally {
    stopRenewal();
    await lock.release().catch(() => {});
  }
}

type RebuildContext = {
  readonly connection: NatsConnection;
  readonly options: RebuildOptions;
  readonly coverage: RebuildCoverage;
  readonly token: string;
  readonly closing: AbortSignal;
};

/** @returns the realms whose rebuild is complete */
async function rebuildRows(realms: readonly string[], context: RebuildContext): Promise<readonly string[]> {
  const { store } = context.options;
  const { coverage } = context;
  const storedAtMs = new Map<string, number>();
  await Promise.all(realms.map((realm) => store.beginBuild(realm, context.token)));
  const onStored = (realm: string, atMs: number): unknown =>
    storedAtMs.set(realm, Math.max(storedAtMs.get(realm) ?? 0, atMs));
  // The first of several reads begins earliest, so its last sequence is the smallest.
  const onBegin = (lastSeq: number): void => {
    if (coverage.realms.size === 0) Object.assign(coverage, { realms: new Set(realms), upToSeq: lastSeq });
  };
  try {
    await replay({ stream: "state", realms, onStored, onBegin }, context);
    const finished = await Promise.all(
      realms.map((realm) =>
        store.finishBuild(realm, context.token, { part: "rows", storedAtMs: storedAtMs.get(realm) }),
      ),
    );
    return realms.filter((_, at) => finished[at]);
  } finally {
    Object.assign(coverage, { realms: new Set(), upToSeq: 0 });
  }
}

async function rebuildHistory(realms: readonly string[], context: RebuildContext): Promise<void> {
  await replay({ stream: "events", realms, onStored() {} }, context);
  await Promise.all(
    realms.map((realm) => context.options.store.finishBuild(realm, context.token, { part: "history" })),
  );
}

type Replay = {
  readonly stream: "state" | "events";
  readonly realms: readonly string[];
  readonly onStored: (realm: string, atMs: number) => void;
  readonly onBegin?: (lastSeq: number) => void;
};

async function replay(
  { stream, realms, onStored, onBegin }: Replay,
  { connection, options, closing }: RebuildContext,
): Promise<void> {
  const listed = new Set(realms);
  const { store, clock, historyRetentionMs } = options;
  await replayStream(connection, {
    stream,
    realms,
    onBegin,
    sinceMs: stream === "events" ? Math.max(0, clock.now() - historyRetentionMs) : 0,
    options: {
      clock,
      isListed: (realm) => listed.has(realm),
      async write(batch) {
        closing.throwIfAborted();
        // The streams hold no message of a forgotten realm: its marker would delete the rows that are being rebuilt.
        await store.write({ ...batch, forgottenSeq: undefined });
      },
      // The ingest has reported these messages already.
      events: { ...silentEvents, onStored },
    },
  });
}
