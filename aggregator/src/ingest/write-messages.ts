import { type Clock, waitAtMost } from "@realmwatch/shared/model/clock";
import { never } from "@realmwatch/shared/model/never";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { RowVersion } from "@realmwatch/shared/row/row";
import { parseSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { JsMsg } from "nats";
import { epochRefusal } from "../realms/epoch-limits.ts";
import { mergeUpdates, type RealmUpdate, type RealmWrite } from "../realms/realm-write.ts";
import { type DecodedMessage, decodeMessage, type Rejection } from "./decode-message.ts";

/** Callbacks of ingest besides `write`. None may throw. */
export type IngestEvents = {
  onRejected(rejection: Rejection): void;
  /** The store refused a realm's rows or records; they are delivered again. */
  onWriteFailed(realm: string, why: string): void;
  /** Called when a message of an unlisted realm was skipped. */
  onUnlisted(realm: string): void;
  onWritten(batch: RealmWrite): void;
  /** Called when an operator had the realm forgotten. */
  onForgotten(realm: string): void;
  /** Called with the time at which the realm's newest message was stored, Unix ms. */
  onStored(realm: string, atMs: number): void;
};

/** Way to write messages of realms. */
export type MessageWriting = {
  readonly clock: Clock;
  /** Returns true when the realms document lists the realm. */
  readonly isListed: (realm: string) => boolean;
  /**
   * Returns true when another aggregator that shares the store lists the realm, whose messages are then written too.
   * Otherwise the store has deleted the realm's data: what is skipped would be missing. Default: never.
   */
  readonly isListedElsewhere?: ((realm: string) => Promise<boolean>) | undefined;
  /** Writes a batch of a realm. Rejects when that fails; then the messages are delivered again. */
  readonly write: (batch: RealmWrite) => Promise<void>;
  /** True for a row message that a rebuild in progress writes. Default: none. */
  readonly isRebuilt?: ((realm: string, seq: number) => boolean) | undefined;
  readonly events: IngestEvents;
};

/** Way to write the messages that a consumer delivers. */
export type DeliveredMessageWriting = MessageWriting & {
  /** Prefix of the consumers that aggregators share; undefined for consumers of this ingest, which read everything. */
  readonly consumerPrefix: string | undefined;
};

/** Time after which messages that could not be written are delivered again, ms. */
const retryAfterMs = 1_000;

/** Time that the consumer of a shared store waits for a slow realm before it reads on, ms. */
const slowWriteMs = 500;

/**
 * Writes a batch, each realm by itself, and acknowledges what was written: a realm that cannot be written delays no other.
 *
 * @returns the first error; its messages are delivered again. Undefined when everything was written, or is still on its way
 * @throws the error when the consumer is not shared
 */
export async function writeBatch(messages: readonly JsMsg[], options: DeliveredMessageWriting): Promise<unknown> {
  if (options.consumerPrefix === undefined) {
    await writeMessages(messages, options);
    return undefined;
  }
  const writes = groupByRealm(messages, options, receipts).map((group) => writeGroup(group, options, receipts));
  const settled = Promise.all(
    writes.map((write) =>
      write.then(
        () => undefined,
        (error: unknown) => error,
      ),
    ),
  );
  let errors: readonly unknown[] = [];
  const ended = settled.then((all) => {
    errors = all;
  });
  await waitAtMost(options.clock, slowWriteMs, ended);
  return errors.find((error) => error !== undefined);
}

type RealmMessages = {
  readonly realm: string;
  readonly updates: RealmUpdate[];
  readonly messages: JsMsg[];
};

/** Decoded messages by realm. Rejected messages are reported, acknowledged and left out. */
function groupByRealm(
  messages: readonly JsMsg[],
  { clock, events, isRebuilt }: MessageWriting,
  { acknowledge }: Receipts,
): RealmMessages[] {
  const groups = new Map<string, RealmMessages>();
  for (const message of messages) {
    const topic = parseSubject(message.subject);
    // [RS23] To decode and write here what a rebuild writes too would double the work.
    if (topic?.kind === "row" && isRebuilt?.(topic.realm, message.seq)) {
      acknowledge([message]);
      continue;
    }
    const decoded = decodeMessage(topic, message);
    const refused = decoded.ok ? refusalOf(decoded.value, clock.now()) : decoded.error;
    if (refused !== undefined) events.onRejected(refused);
    else if (decoded.ok) {
      add(decoded.value, message);
      continue;
    }
    acknowledge([message]);
  }
  return [...groups.values()];

  function add({ realm, update }: DecodedMessage, message: JsMsg): void {
    const group = groups.get(realm) ?? { realm, updates: [], messages: [] };
    groups.set(realm, group);
    group.updates.push(update);
    group.messages.push(message);
  }
}

/** [FD5] Rejection of an update whose epoch or revision no clock explains. */
function refusalOf({ realm, update }: DecodedMessage, nowMs: number): Rejection | undefined {
  const version = versionOf(update);
  const why = version && epochRefusal(version.epoch, version.revision, nowMs);
  return why === undefined ? undefined : { realm, reason: "epoch", detail: why };
}

function versionOf(update: RealmUpdate): RowVersion | undefined {
  switch (update.kind) {
    case "record":
    case "forget":
      return undefined;
    case "complete":
      return { epoch: update.epoch, revision: 0 };
    case "catalog":
      return update.part;
    case "change":
      return update.change.kind === "put" ? update.change.row : update.change;
    default:
      return never(update);
  }
}

/** Writes the updates of one realm, then acknowledges their messages, or has them delivered again. */
async function writeGroup(
  { realm, updates, messages }: RealmMessages,
  options: MessageWriting,
  { acknowledge, deliverAgain }: Receipts,
): Promise<void> {
  const { write, events } = options;
  try {
    if (!options.isListed(realm) && !(await options.isListedElsewhere?.(realm))) {
      acknowledge(messages);
      return events.onUnlisted(realm);
    }
    const batch = mergeUpdates(realm, updates);
    await write(batch);
    events.onWritten(batch);
    const newest = messages.at(-1);
    if (newest !== undefined) events.onStored(realm, Math.floor(newest.info.timestampNanos / 1e6));
    acknowledge(messages);
  } catch (error) {
    // Another aggregator may be able to write; unacknowledged messages are not lost.
    deliverAgain(messages);
    events.onWriteFailed(realm, errorText(error));
    throw error;
  }
}

/** Answers to NATS about messages of a consumer. */
type Receipts = {
  acknowledge(messages: readonly JsMsg[]): void;
  deliverAgain(messages: readonly JsMsg[]): void;
};

const receipts: Receipts = {
  acknowledge,
  deliverAgain(messages) {
    for (const message of messages) message.nak(retryAfterMs);
  },
};

/** Answers about messages of a consumer of this process only, which expects none. */
const noReceipts: Receipts = { acknowledge() {}, deliverAgain() {} };

/** Written messages that are acknowledged at the end of this turn of the event loop. */
let written: JsMsg[] = [];

/**
 * Acknowledges messages together with those of other realms: the connection writes to its socket after each microtask, so
 * that a batch of many realms would cost a system call for each.
 */
function acknowledge(messages: readonly JsMsg[]): void {
  if (written.length === 0) setImmediate(acknowledgeWritten);
  for (const message of messages) written.push(message);
}

function acknowledgeWritten(): void {
  const messages = written;
  written = [];
  try {
    for (const message of messages) message.ack();
  } catch {
    // The connection is closed: the messages are delivered again, and writing them again changes nothing.
  }
}

/** Writes messages that need no acknowledgement, each realm by itself. Rejects when a realm cannot be written. */
export async function writeMessages(messages: readonly JsMsg[], options: MessageWriting): Promise<void> {
  const groups = groupByRealm(messages, options, noReceipts);
  await Promise.all(groups.map((group) => writeGroup(group, options, noReceipts)));
}
