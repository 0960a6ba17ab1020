import { sleep } from "@realmwatch/shared/model/clock";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { parseSubject, stateStream, stateSubjectPrefix } from "@realmwatch/shared/wire/nats/nats-subjects";
import { AckPolicy, type JetStreamManager, type NatsConnection, NatsError, type StoredMsg } from "nats";
import { decodeMessage } from "./decode-message.ts";
import type { RebuildOptions } from "./rebuild.ts";

/** Rows of a realm as the aggregator holds them, when they are proven to be those that the realm has published. */
export type ProvenRows = {
  /** True when the object has a row. */
  readonly holds: (key: ObjectKey) => boolean;
  /** Epoch of the newest row. */
  readonly epoch: number;
};

type RemovedRowPrunerOptions = Pick<RebuildOptions, "bus" | "clock" | "log"> & {
  readonly realms: () => readonly string[];
  /** Returns the rows of a realm; undefined while they are not proven. */
  readonly provenRows: (realm: string) => ProvenRows | undefined;
};

/** Age from which a message of a removed object is deleted, ms: readers that were away for less meet it. */
const keepForMs = 3_600_000;
/** Interval in which each realm is searched once, ms; the time between two realms is at least 5 s. */
const searchEveryMs = 3_600_000;
const leastPauseMs = 5_000;
/** Maximum number of messages that are read in one search of a realm; the next one goes on. */
const mostReads = 2_000;

/**
 * [FD58] Deletes the messages of removed objects from the state stream: those marked as deleted, and rows that a later
 * epoch of their realm did not bring. Several aggregators may do so at the same time.
 */
export function openRemovedRowPruner(options: RemovedRowPrunerOptions): { close(): Promise<void> } {
  const { bus, clock, log, realms } = options;
  const closing = new AbortController();
  let waiting: string[] = [];
  const ended = (async () => {
    for (;;) {
      await sleep(clock, Math.max(leastPauseMs, searchEveryMs / Math.max(1, realms().length)), closing.signal);
      if (closing.signal.aborted) return;
      if (waiting.length === 0) waiting = [...realms()];
      const realm = waiting.pop();
      const connection = bus.live();
      const rows = realm === undefined ? undefined : options.provenRows(realm);
      if (realm === undefined || connection === undefined || rows === undefined) continue;
      try {
        const pruned = await pruneRemovedRows(connection, { realm, rows, nowMs: clock.now() });
        if (pruned > 0) log.info({ realm, pruned }, "NATS: messages of removed objects were deleted");
      } catch (error) {
        log.warn({ realm, why: (error as Error).message }, "NATS: messages of removed objects cannot be deleted");
      }
    }
  })();
  return {
    async close() {
      closing.abort();
      await ended;
    },
  };
}

/** Deletes the messages of a realm's removed objects that are old enough. @returns their number */
async function pruneRemovedRows(
  connection: NatsConnection,
  { realm, rows, nowMs }: { readonly realm: string; readonly rows: ProvenRows; readonly nowMs: number },
): Promise<number> {
  const jsm = await connection.jetstreamManager();
  const { state } = await jsm.streams.info(stateStream.name, { subjects_filter: `${stateSubjectPrefix(realm)}.>` });
  const candidates = Object.keys(state.subjects ?? {}).filter((subject) => {
    const parsed = parseSubject(subject);
    return parsed?.kind === "row" && !rows.holds(parsed.key);
  });
  if (candidates.length === 0) return 0;
  const readUpTo = await sequenceReadByAll(jsm);
  let pruned = 0;
  for (const subject of candidates.slice(0, mostReads)) {
    const message = await lastMessage(jsm, subject);
    if (message === undefined || message.seq > readUpTo || nowMs - message.time.getTime() < keepForMs) continue;
    // A row that has arrived since is another message: it has another sequence, and stays.
    if (isRemoved(subject, message, rows.epoch) && (await deleteMessage(jsm, message.seq))) pruned += 1;
  }
  return pruned;
}

/** True for a message that marks its object as deleted, and for a row of an epoch that a later one has ended. */
function isRemoved(subject: string, message: StoredMsg, epoch: number): boolean {
  const decoded = decodeMessage(parseSubject(subject), message);
  if (!decoded.ok || decoded.value.update.kind !== "change") return false;
  const { change } = decoded.value.update;
  return change.kind === "drop" || change.row.epoch < epoch;
}

/** Sequence up to which each consumer that acknowledges has read the stream. */
async function sequenceReadByAll(jsm: JetStreamManager): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for await (const { config, ack_floor, num_pending, num_ack_pending } of jsm.consumers.list(stateStream.name))
    if (config.ack_policy === AckPolicy.Explicit && num_pending + num_ack_pending > 0)
      least = Math.min(least, ack_floor.stream_seq);
  return least;
}

async function lastMessage(jsm: JetStreamManager, subject: string) {
  try {
    return await jsm.streams.getMessage(stateStream.name, { last_by_subj: subject });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** @returns false when the message is gone already */
async function deleteMessage(jsm: JetStreamManager, seq: number): Promise<boolean> {
  try {
    return await jsm.streams.deleteMessage(stateStream.name, seq, false);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Error codes of NATS for a message that does not exist: asked for by its subject, and by its sequence. */
const notFoundCodes: ReadonlySet<number> = new Set([10_037, 10_043, 10_057]);
const isNotFound = (error: unknown): boolean =>
  error instanceof NatsError && (error.api_error?.code === 404 || notFoundCodes.has(error.api_error?.err_code ?? 0));
