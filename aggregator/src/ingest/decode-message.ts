import {
  HeartbeatSchema,
  type Heartbeat as ProtoHeartbeat,
  RealmCatalogSchema,
  RealmEpochSchema,
  RealmEventSchema,
  StateRowSchema,
} from "@realmwatch/proto/svc/v1/state_pb";
import { never } from "@realmwatch/shared/model/never";
import { type ObjectKey, refOf } from "@realmwatch/shared/model/object-key";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { rowChangeFromProto } from "@realmwatch/shared/row/state-row";
import { type CatalogPart, catalogPartFromProto } from "@realmwatch/shared/wire/catalog-parts";
import { messageReader } from "@realmwatch/shared/wire/fields/message-reader";
import { realmEventFromProto } from "@realmwatch/shared/wire/history";
import { maxMessageBytes, type NatsSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { pairFromProto } from "@realmwatch/shared/wire/pair-status";
import { unpublishedFromProto } from "@realmwatch/shared/wire/unpublished";
import type { Heartbeat } from "../realms/realm-liveness.ts";
import type { RealmUpdate } from "../realms/realm-write.ts";
import type { RowClaim } from "../realms/row-evidence.ts";

/** Reason why a message was rejected. */
type RejectReason =
  /** The subject is not one of an agent. */
  | "subject"
  | "too_large"
  /** The data is not the protobuf message of its subject. */
  | "undecodable"
  /** Realm or object differ from the subject. */
  | "foreign"
  /** A field is out of its range. */
  | "malformed"
  /** Epoch or revision are beyond what a clock can explain. */
  | "epoch"
  /** An answer is wanted on a subject that is not an inbox of the realm. */
  | "reply_subject"
  /** More heartbeats than ten a second of one realm. */
  | "heartbeat_rate";
/** Rejected message. `realm` is taken from the subject; empty when it has none. */
export type Rejection = { readonly realm: string; readonly reason: RejectReason; readonly detail?: string };
/** Message of a stream. `seq`: its number there, which the library parses only when it is read. */
type StreamMessage = { readonly data: Uint8Array; readonly seq: number };
export type DecodedMessage = { readonly realm: string; readonly update: RealmUpdate };

const [readHeartbeat, readEpoch, readCatalog, readRow, readEvent] = [
  messageReader(HeartbeatSchema),
  messageReader(RealmEpochSchema),
  messageReader(RealmCatalogSchema),
  messageReader(StateRowSchema),
  messageReader(RealmEventSchema),
];

/**
 * Decodes a message of `SVC_STATE` or `SVC_EVENTS`. Never throws, for any input.
 *
 * @param topic its parsed subject; undefined when that could not be parsed
 */
export function decodeMessage(
  topic: NatsSubject | undefined,
  message: StreamMessage,
): Result<DecodedMessage, Rejection> {
  if (topic === undefined || topic.kind === "heartbeat") return fail({ realm: "", reason: "subject" });
  const update = message.data.length > maxMessageBytes ? fail<RejectReason>("too_large") : decodeUpdate(topic, message);
  return update.ok ? ok({ realm: topic.realm, update: update.value }) : fail(rejectionOf(topic.realm, update.error));
}

const rejectionOf = (realm: string, reason: RejectReason): Rejection =>
  reason === "epoch" ? { realm, reason, detail: "an epoch or revision is above 2^53" } : { realm, reason };

/** Decodes a heartbeat, as `decodeMessage` does the other messages. */
export function decodeHeartbeat(topic: NatsSubject | undefined, data: Uint8Array): Result<Heartbeat, Rejection> {
  if (topic?.kind !== "heartbeat") return fail({ realm: "", reason: "subject" });
  const refuse = (reason: RejectReason) => fail(rejectionOf(topic.realm, reason));
  if (data.length > maxMessageBytes) return refuse("too_large");
  const message = decode(readHeartbeat, topic, data);
  if (!message.ok) return refuse(message.error);
  const { realm, instance, epoch, revision, at, eventSeq, commandSeq, uptimeMs } = message.value;
  const known = versionOf(epoch, revision);
  if (known === undefined || eventSeq > Number.MAX_SAFE_INTEGER || commandSeq > Number.MAX_SAFE_INTEGER)
    return refuse("malformed");
  const sentAtMs = at === undefined ? undefined : Number(at.seconds) * 1000 + Math.round(at.nanos / 1e6);
  return ok({
    realm,
    ...known,
    sentAtMs,
    uptimeMs: uptimeMs === 0n ? undefined : Number(uptimeMs),
    instance: instance.slice(0, maxTextLength),
    previousInstance: message.value.previousInstance.slice(0, maxTextLength),
    isLeaving: message.value.leaving,
    version: message.value.version.slice(0, maxTextLength),
    error: message.value.error.slice(0, maxTextLength),
    newest: { history: Number(eventSeq), command: Number(commandSeq) },
    restoredCopy: message.value.restoredCopy.slice(0, 2 * maxTextLength),
    firstEventSeq: Number(message.value.firstEventSeq),
    claim: claimOf(message.value),
    catalog: catalogClaimOf(message.value),
    objects: objectsOf(message.value),
    unpublished: unpublishedFromProto(message.value.unpublished),
    unstoredMs: message.value.unstoredMs,
    pair: pairFromProto(message.value.pair),
  });
}

/** Length at which texts of a heartbeat are cut. */
const maxTextLength = 200;

/** The account of stored rows; undefined when the agent sends none. */
function claimOf(heartbeat: ProtoHeartbeat): RowClaim | undefined {
  const { epoch, published, digest } = heartbeat;
  if (digest === undefined || published > Number.MAX_SAFE_INTEGER) return undefined;
  const { storedDigest = digest, storedRows } = heartbeat;
  const rows = heartbeat.storedDigest === undefined ? heartbeat.rows : storedRows;
  return { epoch: Number(epoch), published: Number(published), rows, digest: storedDigest };
}

/** The account of the catalog's parts, with their number as that of rows; undefined when the agent sends none. */
function catalogClaimOf({ epoch, catalog }: ProtoHeartbeat): RowClaim | undefined {
  if (catalog === undefined || catalog.revision > Number.MAX_SAFE_INTEGER) return undefined;
  const { revision, parts, digest } = catalog;
  return { epoch: Number(epoch), published: Number(revision), rows: parts, digest };
}

/** Number of the realm's objects: those of its configuration, also while their rows wait to be published. */
const objectsOf = ({ rows, hosts, services, processes }: ProtoHeartbeat): number =>
  Math.max(rows, hosts + services + processes);

function decodeUpdate(topic: NatsSubject, message: StreamMessage): Result<RealmUpdate, RejectReason> {
  const { data } = message;
  switch (topic.kind) {
    case "row":
      return decodeRow(topic, topic.key, data);
    case "epoch":
      return decodeEpoch(topic, data);
    case "catalog":
      return decodeCatalog(topic, topic.part, data);
    case "event":
      return decodeEvent(topic, data);
    case "forgotten":
      return ok({ kind: "forget", seq: message.seq });
    case "heartbeat":
      return fail("subject");
    default:
      return never(topic);
  }
}

function decodeRow(topic: NatsSubject, key: ObjectKey, data: Uint8Array): Result<RealmUpdate, RejectReason> {
  const message = decode(readRow, topic, data);
  if (!message.ok) return message;
  const change = rowChangeFromProto(message.value);
  if (!change.ok) return fail("malformed");
  const named = change.value.kind === "put" ? change.value.row.about.key : change.value.key;
  return refOf(named) === refOf(key) ? ok({ kind: "change", change: change.value }) : fail("foreign");
}

function decodeEpoch(topic: NatsSubject, data: Uint8Array): Result<RealmUpdate, RejectReason> {
  const message = decode(readEpoch, topic, data);
  if (!message.ok) return message;
  const known = versionOf(message.value.epoch, 0n);
  if (known === undefined) return fail("malformed");
  return ok({ kind: "complete", epoch: message.value.complete ? known.epoch : 0 });
}

function decodeCatalog(
  topic: NatsSubject,
  named: Pick<CatalogPart, "kind" | "number">,
  data: Uint8Array,
): Result<RealmUpdate, RejectReason> {
  const message = decode(readCatalog, topic, data);
  if (!message.ok) return message;
  const known = versionOf(message.value.epoch, message.value.revision);
  const part = catalogPartFromProto(message.value, named);
  if (known === undefined || !part.ok) return fail("malformed");
  return ok({ kind: "catalog", part: { ...part.value, ...known } });
}

function decodeEvent(topic: NatsSubject, data: Uint8Array): Result<RealmUpdate, RejectReason> {
  const message = decode(readEvent, topic, data);
  if (!message.ok) return message;
  const record = realmEventFromProto(message.value);
  return record.ok ? ok({ kind: "record", record: record.value }) : fail("malformed");
}

function decode<Message extends { readonly realm: string; readonly epoch?: bigint; readonly revision?: bigint }>(
  read: (data: Uint8Array) => Message,
  { realm }: NatsSubject,
  data: Uint8Array,
): Result<Message, RejectReason> {
  try {
    const message = read(data);
    if (message.realm !== realm) return fail("foreign");
    return versionOf(message.epoch ?? 0n, message.revision ?? 0n) === undefined ? fail("epoch") : ok(message);
  } catch {
    return fail("undecodable");
  }
}

/** Version as numbers; undefined when one is beyond the safe integers. */
function versionOf(epoch: bigint, revision: bigint): { epoch: number; revision: number } | undefined {
  const [e, r] = [Number(epoch), Number(revision)];
  return Number.isSafeInteger(e) && Number.isSafeInteger(r) ? { epoch: e, revision: r } : undefined;
}
